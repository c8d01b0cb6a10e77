import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { createRandom, type Random } from '../../../../packages/gateway/test/faults/random.ts'
import { type Books, readBooks, type Served } from '../../../../packages/store/test/books.ts'
import { readTasks } from '../../../../packages/store/test/tasks/kept.ts'
import { API_KEY, gatewayFolder } from '../sdk/gateway.ts'
import { type Accepted, type Ark, startArk, tokensOf } from './ark.ts'
import { startVictim, type Victim } from './program.ts'

export interface VideoRound {
  readonly workers: number
  readonly kills: number
  /** Videos that the upstream makes; what is cut before it gets there is asked for again, as another one. */
  readonly videos: number
  /** The same seed picks the same moments; what has happened by then is up to the machine. */
  readonly seed: number
  readonly built?: boolean
}

/** What is wrong after the kills, beside rows and sums. All empty: nothing. */
export interface VideoFaults extends Books {
  /** Tasks that the upstream has accepted, and no task here has: or that a caller was told of. */
  readonly lost: string[]
  /** Creations that the upstream got more than once, and upstream tasks that several tasks here have. */
  readonly twice: string[]
  /** Tasks that have not ended, or not as the upstream says. */
  readonly stuck: string[]
}

export interface FoundVideos extends VideoFaults {
  readonly kills: number
  /** Tasks that the upstream has accepted. */
  readonly accepted: number
  /** Those of which no caller was told: their creation was cut. */
  readonly cut: number
  /** Tasks here that the upstream never got, and that have ended so. */
  readonly unknown: number
}

export const NO_FAULTS = { lost: [], twice: [], stuck: [] }

const MODEL = 'doubao-seedance-1-0-pro-250528'
const TASKS = '/api/v3/contents/generations/tasks'
const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'expired'])
/** Moments of the upstream and of callers after which the next kill comes at the latest. */
const MOMENTS = 60
const POLLERS = 4
/** Status in the rows of what the upstream never got. */
const UNKNOWN = 500
/**
 * How long after the last start everything must have ended: who died has held what it looked at for 45 s. In
 * milliseconds.
 */
const BOUND = 180_000
const PAUSE = 250

/** What callers have asked for, over all lives of the gateway. */
interface Asked {
  /** How many were asked for. */
  count: number
  /** Ids that they were told, by what they asked for. */
  readonly told: Map<number, string>
}

/** Asks for videos, polls and kills again and again in one folder; then lets all of them end. */
export async function killVideos({ workers, kills, videos, seed, built = false }: VideoRound): Promise<FoundVideos> {
  const random = createRandom(seed)
  let onMoment = (): void => {}
  const ark = await startArk(random, () => onMoment())
  const price = { input: 0, output: 2 }
  const folder = gatewayFolder(
    { volcengine: { apiKey: 'key-of-the-provider', baseUrl: ark.url, models: [MODEL] } },
    { prices: { [`volcengine/${MODEL}`]: price } },
    ['packages/providers/volcengine'],
  )
  const place = { dataDir: join(folder.path, '.headgate') }
  const asked: Asked = { count: 0, told: new Map() }
  const perLife = workers > 1 ? 2 : 1
  // The first half of the lives creates.
  const share = Math.ceil(videos / Math.max(1, Math.ceil(kills / perLife / 2)))
  let done = 0
  try {
    while (done < kills) {
      const victim = await startVictim({ folder: folder.path, workers, built })
      const targets = workers > 1 && kills - done > 1 ? [anyOf(victim, random), victim.kill] : [victim.kill]
      try {
        const { promise: killed, resolve } = Promise.withResolvers<void>()
        const left = [...targets]
        let until = 1 + random.below(MOMENTS)
        onMoment = () => {
          if (--until > 0) return
          left.shift()?.()
          until = left.length > 0 ? 1 + random.below(MOMENTS) : Number.POSITIVE_INFINITY
          if (left.length === 0) resolve()
        }
        const traffic = startVideoTraffic({
          url: victim.url,
          asked,
          count: Math.min(share, videos - ark.accepted.length),
          onBytes: () => onMoment(),
        })
        await killed
        await traffic.stop()
      } finally {
        onMoment = () => {}
        await victim.kill()
      }
      done += targets.length
    }
    const survivor = await startVictim({ folder: folder.path, workers, built })
    try {
      await create(survivor.url, asked, videos - ark.accepted.length)
      await allEnded(survivor.url, BOUND)
    } finally {
      await survivor.stop()
    }
    return { kills: done, ...(await compare(place, ark, asked)) }
  } finally {
    await ark.close()
    folder.remove()
  }
}

/** Kills any of the workers. */
function anyOf({ workers }: Victim, random: Random): () => void {
  return () => {
    process.kill(random.pick(workers()), 'SIGKILL')
  }
}

interface VideoTraffic {
  readonly url: string
  readonly asked: Asked
  /** How many are asked for at once. */
  readonly count: number
  onBytes(): void
}

/** Asks for videos at once, and for the state of all there are until it is stopped. */
function startVideoTraffic({ url, asked, count, onBytes }: VideoTraffic) {
  let isOn = true
  const poll = async (nth: number): Promise<void> => {
    for (let turn = nth; isOn; turn += POLLERS) {
      const ids = [...asked.told.values()]
      const id = ids[turn % Math.max(1, ids.length)]
      await call(url, 'GET', id === undefined ? TASKS : `${TASKS}/${id}`, undefined, onBytes)
    }
  }
  const working = [create(url, asked, count, onBytes), ...Array.from({ length: POLLERS }, (_, nth) => poll(nth))]
  return {
    async stop() {
      isOn = false
      await Promise.all(working)
    },
  }
}

/** Asks for videos, all at once. Nobody asks again whose request has broken off. */
async function create(url: string, asked: Asked, count: number, onBytes = () => {}): Promise<void> {
  const numbers = Array.from({ length: Math.max(0, count) }, () => ++asked.count)
  await Promise.all(
    numbers.map(async (number) => {
      const answer = await call(
        url,
        'POST',
        TASKS,
        { model: MODEL, content: [{ type: 'text', text: String(number) }] },
        onBytes,
      )
      const id = answer && Object(JSON.parse(answer))['id']
      if (typeof id === 'string') asked.told.set(number, id)
    }),
  )
}

/** Resolves with a whole answer of status 200; undefined for whatever else comes of it. */
function call(
  url: string,
  method: string,
  path: string,
  body?: object,
  onBytes = () => {},
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const request = httpRequest(`${url}${path}`, { method, agent: false, headers })
    request.on('error', () => resolve(undefined))
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        onBytes()
      })
      response.on('error', () => {})
      response.on('close', () => resolve(response.complete && response.statusCode === 200 ? text : undefined))
    })
    request.end(body && JSON.stringify(body))
  })
}

/** Resolves when all tasks that callers see are over, or the time is up. */
async function allEnded(url: string, withinMs: number): Promise<void> {
  for (const end = Date.now() + withinMs; Date.now() < end; ) {
    const { items } = Object(JSON.parse((await call(url, 'GET', `${TASKS}?page_size=500`)) ?? '{}'))
    if (Array.isArray(items) && items.length > 0 && items.every(({ status }) => FINAL.has(status))) return
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

type Data = {
  readonly intent: string
  readonly requestId: string
  readonly ref?: { readonly id: string }
  readonly failure?: { readonly kind: string }
}

/** What of a name there is more than once. */
function repeated(names: readonly string[]): string[] {
  return [...Map.groupBy(names, (name) => name)].flatMap(([name, all]) => (all.length > 1 ? [name] : []))
}

async function compare(
  place: { dataDir: string },
  { accepted }: Ark,
  { told }: Asked,
): Promise<Omit<FoundVideos, 'kills'>> {
  const tasks = (await readTasks(place)).map((task) => ({ ...task, data: task.data as unknown as Data }))
  const byIntent = new Map(tasks.map((task) => [task.data.intent, task]))
  const upstream = new Map(accepted.map((one) => [one.intent, one]))
  const ids = new Set(tasks.map(({ id }) => id))
  const isLost = ({ id, intent }: Accepted): boolean => byIntent.get(intent)?.data.ref?.id !== id
  // What the upstream has is made and charged; what it never got has failed, and costs nothing.
  const isStuck = ({ status, data: { intent, failure } }: (typeof tasks)[number]): boolean =>
    upstream.has(intent) ? status !== 'succeeded' : status !== 'failed' || failure?.kind !== 'creation-unknown'
  const served = tasks.map(({ data: { intent, requestId } }): Served => {
    const one = upstream.get(intent)
    return one
      ? { id: requestId, input: 0, output: tokensOf(one.number) }
      : { id: requestId, input: 0, output: 0, status: UNKNOWN }
  })
  const numbers = new Map(accepted.map(({ number, intent }) => [number, byIntent.get(intent)?.id]))
  const wrongly = [...told].filter(([number, id]) => !ids.has(id) || numbers.get(number) !== id)
  return {
    accepted: accepted.length,
    cut: accepted.filter(({ number }) => !told.has(number)).length,
    unknown: tasks.filter(({ data }) => !upstream.has(data.intent)).length,
    lost: [...accepted.filter(isLost).map(({ id }) => id), ...wrongly.map(([, id]) => id)],
    twice: [
      ...repeated(accepted.map(({ intent }) => intent)),
      ...repeated(accepted.map(({ number }) => `number ${number}`)),
      ...repeated(tasks.flatMap(({ data: { ref } }) => ref?.id ?? [])),
    ],
    stuck: tasks.filter(isStuck).map(({ id, status, data: { failure } }) => `${id} ${status} ${failure?.kind ?? ''}`),
    ...(await readBooks(place, served)),
  }
}

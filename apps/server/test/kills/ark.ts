import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Random } from '../../../../packages/gateway/test/faults/random.ts'

/** A creation that the upstream has accepted. */
export interface Accepted {
  readonly id: string
  /** What the gateway named it by: its `safety_identifier`. */
  readonly intent: string
  /** The text of the task: which of the requests it is. */
  readonly number: number
}

/**
 * A vendor in the wire of Volcengine Ark that outlives the gateways that ask it, and walks its tasks through their
 * states by the clock.
 */
export interface Ark {
  /** Its base URL. */
  readonly url: string
  readonly accepted: readonly Accepted[]
  close(): Promise<void>
}

/** Whatever is asked of it takes so long at most, in milliseconds: before it knows of it, and before it answers. */
const SLOW = 12
const LONGEST_WAIT = 1_000
const LONGEST_RUN = 12_000

/** What a task of that number is charged. */
export function tokensOf(number: number): number {
  return 1_000 + number * 7
}

interface Kept extends Accepted {
  readonly model: string
  readonly runsAt: number
  readonly endsAt: number
}

const STATES = { queued: 'queued', running: 'running', succeeded: 'succeeded' } as const

function taskOf({ id, intent, model, number, runsAt, endsAt }: Kept, now = Date.now()): object {
  const status = now < runsAt ? STATES.queued : now < endsAt ? STATES.running : STATES.succeeded
  const at = Math.floor(runsAt / 1_000)
  const tokens = tokensOf(number)
  return {
    id,
    model,
    status,
    safety_identifier: intent,
    created_at: at,
    updated_at: at,
    service_tier: 'default',
    ...(status === STATES.succeeded && {
      content: { video_url: `https://videos.example/${id}.mp4` },
      usage: { completion_tokens: tokens, total_tokens: tokens },
    }),
  }
}

/**
 * Written from the source of Volcengine's SDK.
 *
 * @param onMoment told of each moment at which a gateway may die: when a request has come, when it was carried out,
 * when the answer has left.
 */
export async function startArk(random: Random, onMoment: () => void): Promise<Ark> {
  const tasks: Kept[] = []
  const pass = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, random.below(SLOW)))
  const carryOut = (method: string, path: string, query: URLSearchParams, body: unknown): object | undefined => {
    if (method === 'POST') {
      const { model, safety_identifier: intent, content } = Object(body)
      const runsAt = Date.now() + random.below(LONGEST_WAIT)
      const id = `cgt-upstream-${tasks.length + 1}`
      tasks.push({
        id,
        intent,
        model,
        number: Number(content[0].text),
        runsAt,
        endsAt: runsAt + random.below(LONGEST_RUN),
      })
      return { id }
    }
    const id = /\/tasks\/([\w-]+)$/.exec(path)?.[1]
    const found = tasks.find((task) => task.id === id)
    if (id !== undefined) return found && taskOf(found)
    const [page, size] = [Number(query.get('page_num')), Number(query.get('page_size'))]
    return { total: tasks.length, items: tasks.slice((page - 1) * size, page * size).map((task) => taskOf(task)) }
  }
  const answer = async (request: IncomingMessage): Promise<object | undefined> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://ark.test')
    const body = request.method === 'POST' ? await json(request) : undefined
    onMoment()
    await pass()
    const answered = pathname.includes('/contents/generations/tasks')
      ? carryOut(request.method ?? '', pathname, searchParams, body)
      : undefined
    onMoment()
    await pass()
    return answered
  }
  const server = createServer((request, response) => {
    response.on('error', () => {})
    answer(request).then(
      (body) => {
        response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify(body ?? { error: { code: 'ResourceNotFound', message: 'There is no such thing.' } }),
          onMoment,
        )
      },
      // Whoever asked has died.
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/api/v3`,
    accepted: tasks,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

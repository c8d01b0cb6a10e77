import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'undici'
import { median, medianInterval, percentile } from './load.ts'
import { freePort, type Measured, startNode } from './process.ts'
import { root, withStarted } from './started.ts'

/** Refused requests and other requests per second. */
const PER_SECOND = 1_000
const OTHERS_PER_SECOND = 200
const SECONDS = 2
/** Pairs of rounds, one with and one without the record. The first ones are not counted. */
const ROUNDS = 80
const WARM_UP = 5
/** Requests start in groups every this many milliseconds. */
const EVERY = 5

/** Maximum CPU time on the main thread that the record adds to a refused request, in microseconds. */
const MOST_ADDED = 5
/** Maximum p99 of other callers, as a multiple of the one without the record. */
const MOST_RATIO = 1.1
/** Maximum rows of single requests that the store gets per second. */
const MOST_ROWS = 50

const OTHER_KEY = 'sk-bench-of-others'
const KEYS_EACH = 7

/** Reasons of refusals by the gateway, with the status that callers get. */
const KINDS = [
  { kind: 'unknown-model', status: 400, model: 'no-such-model', key: {} },
  { kind: 'over-limit', status: 429, model: 'bench-model', key: { limits: { requestsPerMinute: 1 } } },
  { kind: 'over-budget', status: 429, model: 'bench-model', key: { budgets: ['0.01'] } },
] as const

interface Caller {
  readonly key: string
  readonly model: string
  /** Kind of refusal; undefined = a caller who is served. */
  readonly kind: string | undefined
  readonly status: number
}

const REFUSED: readonly Caller[] = KINDS.flatMap(({ kind, status, model }) =>
  Array.from({ length: KEYS_EACH }, (_, nth) => ({ key: `sk-bench-${kind}-${nth}`, model, kind, status })),
)
const OTHER: Caller = { key: OTHER_KEY, model: 'bench-model', kind: undefined, status: 200 }

/** CPU times of the program so far, in microseconds. */
interface CpuTimes {
  readonly url: string
  readonly main: number
  readonly process: number
  /** Number of times that other processes interrupted it. */
  readonly interruptions: number
}

/** Figures of a round. */
interface Round {
  /** CPU time on the main thread and of the process per refused request, in microseconds. */
  readonly main: number
  readonly process: number
  /** Number of times that other processes interrupted the program. */
  readonly interruptions: number
  /** 99th percentile of the time of other callers in milliseconds. */
  readonly p99: number
  /** Refused requests by kind, as the callers saw them. */
  readonly refused: ReadonlyMap<string, number>
}

interface Running {
  readonly pool: Pool
  control(path: string): Promise<CpuTimes>
}

/** Compares a program that records refused requests with the same one without the record, in alternating rounds. */
export async function benchRefusedCallers(rounds = ROUNDS): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-refusals-'))
  try {
    await withStarted(async ({ origin, start }) => {
      const program = await start(startProgram(folder, origin))
      const control = async (path: string): Promise<CpuTimes> =>
        (await (await fetch(`http://127.0.0.1:${program.port}${path}`)).json()) as CpuTimes
      const pool = new Pool((await control('/')).url, { pipelining: 1 })
      const pairs = await measurePairs({ pool, control }, rounds)
      await pool.close()
      await program.stop()
      reportPairs(quietest(pairs.slice(WARM_UP)))
      reportStore(
        join(folder, 'data', 'headgate.db'),
        pairs.map(({ on }) => on),
      )
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startProgram(folder: string, upstream: string): Promise<Measured> {
  const config = {
    keys: [
      { key: OTHER_KEY, name: 'others' },
      ...KINDS.flatMap(({ kind, key }) =>
        Array.from({ length: KEYS_EACH }, (_, nth) => ({
          key: `sk-bench-${kind}-${nth}`,
          name: `${kind} ${nth}`,
          ...key,
        })),
      ),
    ],
    providers: {
      'chat-up': {
        adapter: 'openai-compatible',
        baseUrl: `${upstream}/v1`,
        apiKey: 'sk-upstream',
        models: ['bench-model'],
      },
    },
    times: { drain: 0 },
  }
  const file = join(folder, 'headgate.config.json')
  writeFileSync(file, JSON.stringify(config))
  const env = { HEADGATE_CONFIG: file, HEADGATE_DATA_DIR: join(folder, 'data'), PORT: String(await freePort()) }
  return startNode(['--conditions=@headgate/source', join(root, 'bench/refusals-server.ts')], { env, cwd: folder })
}

interface Pair {
  readonly on: Round
  readonly off: Round
}

async function measurePairs(running: Running, rounds: number): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  for (let nth = 0; nth < rounds + WARM_UP; nth += 1) {
    // The order changes, so that a drift of the machine's speed affects both alike.
    const first = await measure(running, nth % 2 === 0)
    const second = await measure(running, nth % 2 !== 0)
    pairs.push(nth % 2 === 0 ? { on: first, off: second } : { on: second, off: first })
  }
  return pairs
}

async function measure({ pool, control }: Running, isOn: boolean): Promise<Round> {
  const before = await control(isOn ? '/on' : '/off')
  const refused = new Map<string, number>()
  const times: number[] = []
  await sendAll(pool, SECONDS, ({ kind, status: expected }, status, ms) => {
    // The first request of a rate limit is served, too.
    if (status === 200) return void (kind === undefined && times.push(ms))
    if (status !== expected && status !== 429) throw new Error(`A caller got ${status} instead of ${expected}.`)
    // A busy machine sheds requests, which callers see as over a limit.
    const seen = kind !== undefined && status === expected ? kind : 'over-limit'
    refused.set(seen, (refused.get(seen) ?? 0) + 1)
  })
  const after = await control('/written')
  const count = [...refused.values()].reduce((sum, one) => sum + one, 0)
  return {
    main: (after.main - before.main) / count,
    process: (after.process - before.process) / count,
    interruptions: after.interruptions - before.interruptions,
    p99: percentile(
      times.sort((one, other) => one - other),
      99,
    ),
    refused,
  }
}

/** Sends the requests of all callers at their rates, whether earlier ones have ended or not. */
async function sendAll(
  pool: Pool,
  seconds: number,
  seen: (caller: Caller, status: number, ms: number) => void,
): Promise<void> {
  const begun = performance.now()
  let [refused, others] = [0, 0]
  const all: Promise<void>[] = []
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = Math.min((performance.now() - begun) / 1_000, seconds)
      for (; refused < passed * PER_SECOND; refused += 1)
        all.push(send(pool, REFUSED[refused % REFUSED.length] ?? OTHER, seen))
      for (; others < passed * OTHERS_PER_SECOND; others += 1) all.push(send(pool, OTHER, seen))
      if (passed < seconds) return
      clearInterval(timer)
      resolve()
    }, EVERY)
  })
  await Promise.all(all)
}

async function send(
  pool: Pool,
  caller: Caller,
  seen: (caller: Caller, status: number, ms: number) => void,
): Promise<void> {
  const begun = performance.now()
  const { statusCode, body } = await pool.request({
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: caller.model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello.' }] }),
  })
  await body.dump()
  seen(caller, statusCode, performance.now() - begun)
}

function report(text: string, isGood: boolean): void {
  process.stdout.write(`${isGood ? 'ok  ' : 'MISS'} ${text}\n`)
  if (!isGood) process.exitCode = 1
}

/** The half of the pairs in which other processes of the machine interrupted the program least. */
function quietest(pairs: readonly Pair[]): readonly Pair[] {
  const interruptions = ({ on, off }: Pair): number => on.interruptions + off.interruptions
  return pairs.toSorted((one, other) => interruptions(one) - interruptions(other)).slice(0, Math.ceil(pairs.length / 2))
}

function reportPairs(pairs: readonly Pair[]): void {
  const added = pairs.map(({ on, off }) => on.main - off.main)
  const addedToAll = pairs.map(({ on, off }) => on.process - off.process)
  const [low, high] = medianInterval(added)
  const bare = median(pairs.map(({ off }) => off.main))
  process.stdout.write(
    `\n${PER_SECOND} refused and ${OTHERS_PER_SECOND} other requests a second, the quietest ${pairs.length} pairs of rounds of ${SECONDS} s; CPU of the main thread without the record: ${bare.toFixed(1)} µs per refused request, including other requests\n`,
  )
  report(
    `the record adds ${median(added).toFixed(2)} µs on the main thread to a refused request (95 %: ${low.toFixed(2)} to ${high.toFixed(2)}; at most ${MOST_ADDED}), ${median(addedToAll).toFixed(2)} µs with all threads`,
    median(added) <= MOST_ADDED,
  )
  const [on, off] = [median(pairs.map((pair) => pair.on.p99)), median(pairs.map((pair) => pair.off.p99))]
  const ratio = median(pairs.map((pair) => pair.on.p99 / pair.off.p99))
  report(
    `p99 of other callers: ${on.toFixed(2)} ms with, ${off.toFixed(2)} ms without the record: ${ratio.toFixed(2)} times (at most ${MOST_RATIO})`,
    ratio <= MOST_RATIO,
  )
}

/** Compares the stored counts with what callers saw while requests were recorded. */
function reportStore(file: string, rounds: readonly Round[]): void {
  const db = new DatabaseSync(file, { readOnly: true })
  const number = (query: string): number => Number(db.prepare(query).get()?.['n'])
  const rows = number('SELECT COUNT(*) AS n FROM refusals')
  const counters = number('SELECT (SELECT COUNT(*) FROM refusal_minutes) + (SELECT COUNT(*) FROM refusal_hours) AS n')
  const seconds = rounds.length * (SECONDS + 1)
  for (const { kind } of KINDS) {
    const seen = rounds.reduce((sum, { refused }) => sum + (refused.get(kind) ?? 0), 0)
    const stored = ['refusal_minutes', 'refusal_hours'].map((table) =>
      number(`SELECT COALESCE(SUM(requests), 0) AS n FROM ${table} WHERE failure = '${kind}'`),
    )
    report(
      `${kind}: callers saw ${seen}, the store counts ${stored.join(' (minutes) and ')} (hours)`,
      stored.every((one) => one === seen),
    )
  }
  db.close()
  report(
    `${rows} rows of single requests (at most ${MOST_ROWS} a second: ${MOST_ROWS * seconds}), ${counters} counters`,
    rows <= MOST_ROWS * seconds,
  )
}

import type { RefusalRecord } from '../packages/gateway/src/ports/refusals.ts'
import { createRefusalBook } from '../packages/store/src/refusals/book.ts'
import { createSecret } from '../packages/store/src/secret/secret.ts'

/** Maximum CPU time that the record of a refused request takes on the main thread, in microseconds. */
const MOST = 5
const PER_SECOND = 1_000
const SECONDS = 200
const WARM_UP = 20
const KINDS = ['over-budget', 'over-limit', 'unknown-model'] as const

/** Refused requests of a second, as a flood of some keys sends them. */
interface Flood {
  readonly name: string
  readonly keys: number
  readonly models: number
}

const FLOODS: readonly Flood[] = [
  { name: 'one key, one model', keys: 1, models: 1 },
  { name: '20 keys, 10 models', keys: 20, models: 10 },
  { name: '500 keys, each request with another model', keys: 500, models: PER_SECOND },
]

/**
 * Measures the CPU time on the main thread to record a refused request, at 1,000 a second: counting, sampling, and
 * encryption of the sample: `pnpm bench refusals`. Exits with 1 if it exceeds the maximum.
 */
export async function benchRefusals(): Promise<void> {
  for (const flood of FLOODS) {
    const { each, rows, counted } = await measure(flood)
    const isExact = counted === PER_SECOND * (SECONDS + WARM_UP)
    process.stdout.write(
      `${flood.name}: ${each.toFixed(2)} µs each (at most ${MOST}), ${rows} rows a second, ${counted} counted\n`,
    )
    if (!(each <= MOST) || !isExact) process.exitCode = 1
  }
}

async function measure(flood: Flood): Promise<{ each: number; rows: number; counted: number }> {
  let [now, rows, counted] = [0, 0, 0]
  const book = createRefusalBook({
    store: {
      refusals: {
        async add(batch) {
          rows += batch.rows.length
          for (const { requests } of batch.counts) counted += requests
        },
        words: async () => undefined,
        message: async () => undefined,
        beforeReads() {},
      },
    },
    secret: createSecret('ab'.repeat(32)),
    clock: () => now,
    onWarning: (message) => process.stderr.write(`${message}\n`),
  })
  const refusals = Array.from({ length: PER_SECOND }, (_, number) => refusalOf(flood, number))
  const run = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1_000
      for (const refusal of refusals) book.refused(refusal)
      await book.write()
    }
  }
  await run(WARM_UP)
  rows = 0
  const begun = process.cpuUsage()
  await run(SECONDS)
  const { user, system } = process.cpuUsage(begun)
  return { each: (user + system) / (PER_SECOND * SECONDS), rows: rows / SECONDS, counted }
}

function refusalOf({ keys, models }: Flood, number: number): RefusalRecord {
  return {
    requestId: `req_${number.toString(16).padStart(32, '0')}`,
    principal: `key_${number % keys}`,
    family: 'chat',
    format: 'chat-completions',
    model: `model-${number % models}`,
    status: 429,
    outcome: 'refused',
    failure: KINDS[number % KINDS.length] ?? 'over-budget',
    message: `This request may cost up to 0.02 dollars, which is more than the budget "web ${number}" of this key has left.`,
    limit: { kind: 'budget', id: 'bud_1' },
    tags: undefined,
    endUser: undefined,
    session: undefined,
    startedAt: 1_700_000_000_000,
    durationMs: 1,
  }
}

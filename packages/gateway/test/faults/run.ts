import { playSequence, type Report } from './play.ts'
import { describeSequence, type Sequence, sequenceOf } from './sequence.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/** What came of many sequences. */
export interface Summary {
  readonly played: number
  readonly failed: readonly Report[]
  /** How often each fault was played. */
  readonly faults: ReadonlyMap<string, number>
  /** Number of sequences with a second call of a slow one. */
  readonly hedged: number
}

export interface RunOptions {
  /** Sequences at a time; default 32. */
  readonly concurrency?: number
  readonly onReport?: (report: Report) => void
}

/** Milliseconds after which a sequence hangs, whatever keeps it. */
const BOUND = 60_000

/** Plays a sequence; one that does not end is one that failed. */
async function guarded(sequence: Sequence, upstream: Upstream): Promise<Report> {
  let timer: NodeJS.Timeout | undefined
  const failed = (problem: string): Report => ({
    seed: sequence.seed,
    what: describeSequence(sequence),
    faults: [],
    problems: [problem],
    isHedged: false,
  })
  const hung = new Promise<Report>((resolve) => {
    timer = setTimeout(() => resolve(failed('the sequence does not end')), BOUND)
  })
  try {
    return await Promise.race([playSequence(sequence, upstream), hung])
  } catch (error) {
    return failed(`the sequence can not be played: ${error instanceof Error ? error.stack : String(error)}`)
  } finally {
    clearTimeout(timer)
  }
}

/** Plays the sequences of seeds. Rejects when something throws that nobody caught. */
export async function playSeeds(
  seeds: readonly number[],
  { concurrency = 32, onReport }: RunOptions = {},
): Promise<Summary> {
  const upstream = await startUpstream()
  const failed: Report[] = []
  const faults = new Map<string, number>()
  let next = 0
  let hedged = 0
  const worker = async (): Promise<void> => {
    for (let seed = seeds[next++]; seed !== undefined; seed = seeds[next++]) {
      const report = await guarded(sequenceOf(seed), upstream)
      for (const fault of report.faults) faults.set(fault, (faults.get(fault) ?? 0) + 1)
      if (report.problems.length > 0) failed.push(report)
      if (report.isHedged) hedged++
      onReport?.(report)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, seeds.length) }, worker))
  } finally {
    await upstream.close()
  }
  return { played: seeds.length, failed, faults, hedged }
}

/** A report for people. */
export function explainReport({ what, problems }: Report): string {
  return `${what}\n${problems.map((problem) => `    ${problem}`).join('\n')}`
}

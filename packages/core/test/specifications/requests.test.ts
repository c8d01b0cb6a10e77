import { describe, expect, it } from 'vitest'
import { FORMATS } from '../recordings/recordings.ts'
import { tried } from './directions.ts'
import { specifications } from './documents.ts'
import { REFUSED } from './refused.ts'
import { REQUESTS, readSpecification } from './validator.ts'

if (specifications === undefined)
  process.stderr.write('Generated requests are left out: HEADGATE_SPECS names no folder.\n')

const DIRECTIONS = FORMATS.flatMap((from) => FORMATS.map((to) => ({ from, to })))

/** At least this share of the requests must be sent, after what is refused was left out. */
const LEAST_SENT = 0.95

/** Tries the requests of the seeds, and names what is wrong by the seed that shows it. */
function problemsOf(from: (typeof FORMATS)[number], to: (typeof FORMATS)[number], count: number): string[] {
  const breaks = readSpecification(REQUESTS[to])
  const problems: string[] = []
  let sent = 0
  for (let seed = 0; seed < count; seed++) {
    const { findings, refusals, passed } = tried(seed, from, to, breaks)
    if (passed) sent += 1
    const unknown = refusals.filter((message) => !REFUSED.some((reason) => reason.test(message)))
    problems.push(
      ...findings.map((finding) => `seed ${seed} ${finding}`),
      ...unknown.map((message) => `seed ${seed} is refused: ${message}`),
    )
  }
  if (sent < count * LEAST_SENT) problems.push(`only ${sent} of ${count} requests are sent`)
  return problems
}

/**
 * Requests that are generated from the callers' specifications: what is sent is valid, and nothing is lost silently.
 */
describe.runIf(specifications !== undefined)('A generated request', () => {
  it('passes from every format to every format', () => {
    expect(
      DIRECTIONS.flatMap(({ from, to }) => problemsOf(from, to, 4).map((problem) => `${from} to ${to}: ${problem}`)),
    ).toEqual([])
  })

  it.each(DIRECTIONS)('passes from $from to $to, 500 times', { tags: ['full'] }, ({ from, to }) => {
    expect(problemsOf(from, to, 500)).toEqual([])
  })
})

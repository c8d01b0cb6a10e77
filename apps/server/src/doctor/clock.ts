import type { Finding } from './finding.ts'

/** Beyond this, signed requests are refused: vendors allow five minutes at most. */
const TOO_FAR_MS = 60_000

/** How far this machine's clock is ahead of someone's. */
export interface Reading {
  readonly name: string
  readonly aheadMs: number
}

/** Whether this machine's clock is right, by the clocks of the providers that answered. The middle one counts. */
export function checkClock(readings: readonly Reading[]): Finding {
  const sorted = readings.toSorted((a, b) => a.aheadMs - b.aheadMs)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  const about = 'clock'
  if (!middle) return { state: 'note', about, text: 'not checked: no provider has told the time' }
  const { name, aheadMs } = middle
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  if (Math.abs(aheadMs) <= TOO_FAR_MS) return { state: 'ok', about, text: `within ${seconds + 1} s of that of ${name}` }
  return {
    state: 'wrong',
    about,
    text: `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${name}: signed requests are refused, and usage is recorded at wrong times`,
    advice: "Set this machine's clock, best by a time service: timedatectl set-ntp true",
  }
}

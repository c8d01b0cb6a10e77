import type { DoctorFinding } from './finding.ts'

/** Maximum difference in milliseconds. Beyond it, signed requests are refused: vendors allow five minutes at most. */
const TOO_FAR_MS = 60_000

/** Offset of this machine's clock from a provider's clock. */
export interface ClockOffset {
  readonly name: string
  readonly aheadMs: number
}

/** Checks this machine's clock against the clocks of providers. The median counts. */
export function checkClock(readings: readonly ClockOffset[]): DoctorFinding {
  const sorted = readings.toSorted((a, b) => a.aheadMs - b.aheadMs)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  const about = 'clock'
  if (!middle) return { state: 'note', about, text: 'not checked: no provider returned a time' }
  const { name, aheadMs } = middle
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  if (Math.abs(aheadMs) <= TOO_FAR_MS)
    return { state: 'ok', about, text: `within ${seconds + 1} s of the clock of ${name}` }
  return {
    state: 'wrong',
    about,
    text: `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of ${name}: signed requests are refused, and usage is recorded at wrong times`,
    advice: "Set this machine's clock, preferably with a time service: timedatectl set-ntp true",
  }
}

import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/**
 * Time on a clock counts this often where other programs want the processor too. What the page itself uses of it is not
 * stretched.
 */
export function slack(): number {
  return (loadavg()[0] ?? 0) > availableParallelism() * 0.75 ? 4 : 1.5
}

/**
 * What a host has taken from the processors of this machine since its start, in milliseconds; 0 where nothing says so.
 */
export function taken(): number {
  const [, ...ticks] = existsSync('/proc/stat')
    ? (readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/) ?? [])
    : []
  return 10 * Number(ticks[7] ?? 0)
}

/** True if a measured time is meaningful: a page cannot be faster than the machine allows. */
export function isOwn(time: number, lost: number): boolean {
  return lost < time / 10
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

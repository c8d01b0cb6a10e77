import type { RequestRow } from '../../api/usage.ts'
import { count, counted, shortCount } from '../../formats/numbers.ts'

/** Names of units: one, and several. */
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  searches: ['search', 'searches'],
  images: ['image', 'images'],
  pages: ['page', 'pages'],
  characters: ['character', 'characters'],
  requests: ['request', 'requests'],
  videos: ['video', 'videos'],
  seconds: ['s', 's'],
  minutes: ['min', 'min'],
}

/** Count of a unit: `1 search`, `3 searches`, `5 s`. */
export function unitText(unit: string, value: number): string {
  const [one, many] = UNITS[unit] ?? [unit, unit]
  return counted(value, one, many)
}

type RowUsage = Pick<RequestRow, 'input' | 'output' | 'units' | 'outcome'>

/** Usage of a request. */
export interface UsageText {
  /** Tokens as `1.2K / 34`, other units as `3 searches`. */
  readonly text: string
  /** Exact counts. */
  readonly exact: string
}

/** Usage of a request in its own units. `none` = there is no usage, `unknown` = the provider did not report it. */
export function usageText({ input, output, units, outcome }: RowUsage): UsageText | 'none' | 'unknown' {
  const others = Object.entries(units ?? {}).filter(([, value]) => value !== 0)
  const hasTokens = (input ?? 0) > 0 || (output ?? 0) > 0
  const texts = others.map(([unit, value]) => unitText(unit, value))
  if (hasTokens) {
    texts.unshift(`${shortCount(input ?? 0)} / ${shortCount(output ?? 0)}`)
    const exact = [counted(input ?? 0, 'input token'), counted(output ?? 0, 'output token'), ...texts.slice(1)]
    return { text: texts.join(' + '), exact: exact.join(', ') }
  }
  if (texts.length > 0)
    return { text: texts.join(' + '), exact: others.map(([unit, value]) => `${count(value)} ${unit}`).join(', ') }
  const isKnown = input !== null || output !== null || units !== null
  return isKnown || outcome === 'refused' || outcome === 'failed' ? 'none' : 'unknown'
}

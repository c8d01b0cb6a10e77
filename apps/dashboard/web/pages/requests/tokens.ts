import type { UsageRow } from '../../api/usage.ts'

/** A part of a total. */
export interface TokenPart {
  readonly title: string
  readonly count: number
}

export interface TokenTotal {
  readonly title: 'Input' | 'Output'
  readonly count: number | null
  /** What it is made of, where that is more than one thing. */
  readonly parts: readonly TokenPart[]
  /** What is within these, and is not counted beside them. */
  readonly within: readonly TokenPart[]
}

type Counts = Pick<
  UsageRow,
  'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWriteLong' | 'reasoning' | 'audioInput' | 'audioOutput'
>

/** Tokens as they add up: totals include their parts. */
export function tokensOf(counts: Counts): readonly TokenTotal[] {
  const { input, output, cacheRead, cacheWrite, cacheWriteLong, reasoning, audioInput, audioOutput } = counts
  const long = cacheWriteLong ?? 0
  return [
    total(
      'Input',
      input,
      [
        part('read from a cache', cacheRead),
        part('written to a cache', cacheWrite === null ? null : cacheWrite - long),
        part('written to a cache for an hour', cacheWriteLong),
      ],
      [part('of sound', audioInput)],
    ),
    total('Output', output, [part('reasoning', reasoning)], [part('of sound', audioOutput)]),
  ]
}

function part(title: string, count: number | null): TokenPart | undefined {
  return count === null || count <= 0 ? undefined : { title, count }
}

function total(
  title: TokenTotal['title'],
  count: number | null,
  given: readonly (TokenPart | undefined)[],
  within: readonly (TokenPart | undefined)[],
): TokenTotal {
  const known = given.filter((one) => one !== undefined)
  const rest = (count ?? 0) - known.reduce((sum, one) => sum + one.count, 0)
  const parts =
    known.length > 0 && rest >= 0 ? [{ title: title === 'Input' ? 'fresh' : 'text', count: rest }, ...known] : known
  return { title, count, parts, within: within.filter((one) => one !== undefined) }
}

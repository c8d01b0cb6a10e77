import { hash } from 'node:crypto'

/** Dimensions of usage sums, as stored in roll-ups. */
export interface Dimensions {
  readonly principal: string
  readonly provider: string
  readonly model: string
  readonly family: string
  readonly status: number
}

/** Maximum length of a name in roll-ups: callers choose model names, and indexes have limits. */
export const LONGEST = 200

/** String that both databases accept: Postgres rejects NUL and lone surrogates. */
export function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed()
}

export function dimension(text: string): string {
  return storable(text.length > LONGEST ? text.slice(0, LONGEST) : text)
}

/**
 * Id of a combination of dimensions: 64 bits of a hash, the same in every process and store. An index of `usage` by it
 * finds the rows of any filter by dimensions, however rare.
 */
export function groupId({ principal, provider, model, family, status }: Dimensions): bigint {
  return hash('sha256', [principal, provider, model, family, status].join('\0'), 'buffer').readBigInt64BE()
}

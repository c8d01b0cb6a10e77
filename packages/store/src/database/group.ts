import { hash } from 'node:crypto'

/** By what usage is summed up, as roll-ups hold it. */
export interface Dimensions {
  readonly principal: string
  readonly provider: string
  readonly model: string
  readonly family: string
  readonly status: number
}

/** A caller names the model: what an index can not hold of a name is left out of roll-ups. */
export const LONGEST = 200

/** Text as either store holds it: Postgres takes no NUL, and neither a lone surrogate. */
export function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed()
}

export function dimension(text: string): string {
  return storable(text.length > LONGEST ? text.slice(0, LONGEST) : text)
}

/**
 * The id of a combination, the same in every process and store: 64 bits of a hash. One index of `usage` by it finds the
 * rows of any filter by dimensions, however rare.
 */
export function groupId({ principal, provider, model, family, status }: Dimensions): bigint {
  return hash('sha256', [principal, provider, model, family, status].join('\0'), 'buffer').readBigInt64BE()
}

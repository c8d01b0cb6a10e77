import { UNKNOWN } from '../../formats/money.ts'

/** Text for the unknown cost of a request: a missing price can be set, a missing usage report cannot. */
export function unknownAmount(why: string): string {
  if (why === 'price-unknown') return 'unknown cost'
  return why === 'usage-unknown' ? 'usage unknown' : UNKNOWN
}

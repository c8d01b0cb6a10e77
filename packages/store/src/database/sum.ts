import type { StoreConnection } from './connection.ts'

const MOST = '9223372036854775807'

/**
 * SQL of a sum of 64-bit integers that saturates at the maximum, since SQLite fails on overflow and stored values are
 * arbitrary. `value` may be null.
 */
export function sumOf(kind: StoreConnection['kind'], value: string): string {
  if (kind === 'postgres') return `least(coalesce(sum(${value}), 0), ${MOST})::int8`
  const [high, low] = [`sum((${value}) >> 32)`, `sum((${value}) & 4294967295)`]
  return `coalesce(CASE WHEN ${high} + (${low} >> 32) >= 2147483648 THEN ${MOST} ELSE ${high} * 4294967296 + ${low} END, 0)`
}

import type { LinkProps } from '@tanstack/react-router'
import type { RowSums, SpendRow } from '../api/spend.ts'
import { LABELS } from '../labels.ts'
import type { UsageTotals } from './sums.ts'

/** Totals of the sums of a group. */
export function totalsOf({ charged, requests, input, output, failed, unpriced }: RowSums): UsageTotals {
  return { spend: BigInt(charged), requests, input, output, failed: failed ?? 0, unpriced }
}

/** ID of a group: its values. */
export function groupId({ ids, isRest }: Pick<SpendRow, 'ids' | 'isRest'>): string {
  return isRest ? 'rest' : ids.map((id) => id ?? '').join(' · ')
}

/** Name of a group. */
export function groupTitle({ names, isRest }: Pick<SpendRow, 'names' | 'isRest'>): string {
  return isRest ? 'Other groups' : names.map((name) => name ?? LABELS.unknown).join(' · ')
}

/** Link to the requests of a group. Unknown values do not filter. @param tag name of the tag that groups */
export function requestsOf(splits: readonly string[], ids: readonly (string | null)[], tag?: string): LinkProps {
  const filters = splits.flatMap((split, place) => {
    const id = ids[place]
    if (id === null || id === undefined) return []
    if (split === 'tag') return tag === undefined ? [] : [['tag', `${tag}=${id}`]]
    const isList = split !== 'project' && split !== 'environment'
    return [[split, isList ? id.replaceAll(',', '%2C') : id]]
  })
  return { to: '/requests', search: Object.fromEntries(filters) }
}

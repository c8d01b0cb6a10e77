import { object, type UsageRow } from '@headgate/gateway/ports'
import { dimension } from '../database/group.ts'

/** Maximum number of tags of a row. */
const MOST = 8
const NONE: readonly (readonly [string, string])[] = []

/** Tags of a row as stored: name, value. They are validated again, since another version may have written the row. */
export function tagsOf({ tags }: Pick<UsageRow, 'tags'>): readonly (readonly [name: string, value: string])[] {
  if (!tags || !object(tags)) return NONE
  const entries = Object.entries(tags).filter(
    ([name, value]) => name !== '' && typeof value === 'string' && value !== '',
  )
  const held = new Map(entries.slice(0, MOST).map(([name, value]) => [dimension(name), dimension(value)]))
  return [...held]
}

/** Names of sums by other values of rows. Tags of callers cannot have these names. */
export const RESERVED_TAGS = { user: '@user', session: '@session' } as const

/** Tags by which a row is summed: its own, its end user and its session. */
export function sumTagsOf(row: Pick<UsageRow, 'tags' | 'endUser' | 'session'>): typeof NONE {
  const { endUser, session } = row
  if (!endUser && !session) return tagsOf(row)
  const own = [
    [RESERVED_TAGS.user, endUser],
    [RESERVED_TAGS.session, session],
  ] as const
  return [...tagsOf(row), ...own.flatMap(([name, value]) => (value ? [[name, dimension(value)] as const] : []))]
}

/** Tags as JSON; null without tags. */
export function tagsText(row: Pick<UsageRow, 'tags'>): string | null {
  if (!row.tags) return null
  const tags = tagsOf(row)
  return tags.length > 0 ? JSON.stringify(Object.fromEntries(tags)) : null
}

import { hash } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import type { RowFilters } from './filters.ts'
import type { PageEnd } from './matching.ts'

/** Query to which a cursor is bound. */
export interface CursorQuery {
  readonly filters: RowFilters
  /** Order of the list; absent = newest first. */
  readonly sort?: string | undefined
  /** False if refused requests are left out; absent = they are included. */
  readonly refused?: boolean | undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Maximum length of a valid cursor. */
const LONGEST = 200

/** Opaque cursor of a page end. It is bound to the filters and the order of its list. */
export function cursorOf(end: PageEnd, query: CursorQuery): string {
  const { at, id, value } = end
  const parts = [at, id, sumOf(end, query), ...(value === undefined ? [] : [value])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Decodes a cursor. @throws HeadgateError `invalid-request` for a malformed cursor or one of another list */
export function readCursor(cursor: string, query: CursorQuery): PageEnd {
  const [at, id, sum, value] = cursor.length > LONGEST ? [] : partsOf(cursor)
  if (
    typeof at === 'number' &&
    Number.isSafeInteger(at) &&
    typeof id === 'string' &&
    UUID.test(id) &&
    (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value)))
  ) {
    const end: PageEnd = { at, id, value }
    if (sum === sumOf(end, query)) return end
  }
  throw new HeadgateError('invalid-request', 'This cursor does not match the filters. Omit it to get the first page.', {
    param: 'cursor',
  })
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function sumOf({ at, id, value }: PageEnd, { filters, sort = 'newest', refused = true }: CursorQuery): string {
  const { tag, ...plain } = filters
  const entries = Object.entries({ ...plain, tagName: tag?.name, tagValue: tag?.value }).filter(
    ([, one]) => one !== undefined,
  )
  const inOrder = entries.sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify([at, id, value ?? null, sort, refused, inOrder])).slice(0, 16)
}

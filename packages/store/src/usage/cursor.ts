import { hash } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import type { UsageFilters } from './filters.ts'
import type { PageEnd } from './matching.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Maximum length of a valid cursor. */
const LONGEST = 200

/** Opaque cursor of a page end. It is bound to the filters of its list. */
export function cursorOf({ at, id }: PageEnd, filters: UsageFilters): string {
  return Buffer.from(JSON.stringify([at, id, sumOf(at, id, filters)])).toString('base64url')
}

/** Decodes a cursor. @throws HeadgateError `invalid-request` for a malformed cursor or one of other filters */
export function readCursor(cursor: string, filters: UsageFilters): PageEnd {
  const [at, id, sum] = cursor.length > LONGEST ? [] : partsOf(cursor)
  if (
    typeof at === 'number' &&
    Number.isSafeInteger(at) &&
    typeof id === 'string' &&
    UUID.test(id) &&
    sum === sumOf(at, id, filters)
  )
    return { at, id }
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

function sumOf(at: number, id: string, filters: UsageFilters): string {
  const { tag, ...plain } = filters
  const entries = Object.entries({ ...plain, tagName: tag?.name, tagValue: tag?.value }).filter(
    ([, value]) => value !== undefined,
  )
  return hash('sha256', JSON.stringify([at, id, entries.sort(([one], [other]) => (one < other ? -1 : 1))])).slice(0, 16)
}

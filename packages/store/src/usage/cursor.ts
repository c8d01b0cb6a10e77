import { hash } from 'node:crypto'
import { HeadgateError } from '@headgate/gateway/ports'
import type { UsageFilters } from './filters.ts'
import type { PageEnd } from './matching.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** More can be none of ours. */
const LONGEST = 200

/**
 * A page's end as callers hold it: what is in it is nobody's business. It goes with the filters that it was made for.
 */
export function cursorOf({ at, id }: PageEnd, filters: UsageFilters): string {
  return Buffer.from(JSON.stringify([at, id, sumOf(at, id, filters)])).toString('base64url')
}

/** @throws HeadgateError `invalid-request` for what is no cursor of rows with these filters. */
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
  throw new HeadgateError(
    'invalid-request',
    'The cursor is none of a list with these filters. Ask without it for the first page.',
    {
      param: 'cursor',
    },
  )
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
  const said = Object.entries({ ...plain, tagName: tag?.name, tagValue: tag?.value }).filter(
    ([, value]) => value !== undefined,
  )
  return hash('sha256', JSON.stringify([at, id, said.sort(([one], [other]) => (one < other ? -1 : 1))])).slice(0, 16)
}

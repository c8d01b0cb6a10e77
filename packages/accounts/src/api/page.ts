import { HeadgateError } from '@headgate/gateway/ports'

/** Sort key of a list item: a number and a string. */
export type PageCursor = readonly [number, string]

export interface ListQuery {
  /** Default: 100. */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface CursorPage<Item> {
  readonly items: readonly Item[]
  readonly cursor?: string
}

const USUAL = 100

/**
 * Page of a complete list in the order of its sort keys. @param list name of the list; a cursor is valid for one list.
 */
export function pageFrom<Item>(
  list: string,
  all: readonly Item[],
  placeOf: (item: Item) => PageCursor,
  query: ListQuery,
): CursorPage<Item> {
  const { limit = USUAL, cursor } = query
  const after = cursor === undefined ? undefined : readCursor(list, cursor)
  const ordered = all.toSorted((one, other) => compare(placeOf(one), placeOf(other)))
  const rest = after ? ordered.filter((item) => compare(placeOf(item), after) > 0) : ordered
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return { items, ...(rest.length > items.length && last !== undefined && { cursor: cursorOf(list, placeOf(last)) }) }
}

/** Cursor for a sort key. */
export function cursorOf(list: string, [number, text]: PageCursor): string {
  return Buffer.from(JSON.stringify([list, number, text])).toString('base64url')
}

/** @throws HeadgateError `invalid-request` for a cursor of another list. */
export function readCursor(list: string, cursor: string): PageCursor {
  const bytes = Buffer.from(cursor, 'base64url')
  const [name, number, text, ...more] = bytes.toString('base64url') === cursor ? partsOf(bytes.toString()) : []
  if (name === list && Number.isSafeInteger(number) && typeof text === 'string' && more.length === 0)
    return [Number(number), text]
  const message = '`cursor` does not belong to this list. Omit it to get the first page.'
  throw new HeadgateError('invalid-request', message, { param: 'cursor' })
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(text)
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function compare([one, text]: PageCursor, [other, otherText]: PageCursor): number {
  return one - other || (text < otherText ? -1 : text > otherText ? 1 : 0)
}

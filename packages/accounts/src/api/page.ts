import { HeadgateError } from '@headgate/gateway/ports'

/** Where a page begins: a number and a text, by which its list is ordered. */
export type Place = readonly [number, string]

export interface PageQuery {
  /** Default 100. */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly cursor?: string
}

const USUAL = 100

/**
 * A page of a list that is here as a whole, in the order of its places. @param list names it: a cursor is of one list.
 */
export function pageFrom<Item>(
  list: string,
  all: readonly Item[],
  placeOf: (item: Item) => Place,
  query: PageQuery,
): Page<Item> {
  const { limit = USUAL, cursor } = query
  const after = cursor === undefined ? undefined : readCursor(list, cursor)
  const ordered = all.toSorted((one, other) => compare(placeOf(one), placeOf(other)))
  const rest = after ? ordered.filter((item) => compare(placeOf(item), after) > 0) : ordered
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return { items, ...(rest.length > items.length && last !== undefined && { cursor: cursorOf(list, placeOf(last)) }) }
}

/** A place as callers hold it. */
export function cursorOf(list: string, [number, text]: Place): string {
  return Buffer.from(JSON.stringify([list, number, text])).toString('base64url')
}

/** @throws HeadgateError `invalid-request` for what is no cursor of this list. */
export function readCursor(list: string, cursor: string): Place {
  const bytes = Buffer.from(cursor, 'base64url')
  const [name, number, text, ...more] = bytes.toString('base64url') === cursor ? partsOf(bytes.toString()) : []
  if (name === list && Number.isSafeInteger(number) && typeof text === 'string' && more.length === 0)
    return [Number(number), text]
  const message = '`cursor` is none of this list. Ask without it for the first page.'
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

function compare([one, text]: Place, [other, otherText]: Place): number {
  return one - other || (text < otherText ? -1 : text > otherText ? 1 : 0)
}

/** Rows per page, and the maximum number of pages. */
const [ROWS, PAGES] = [1_000, 10]

/** Items of all pages of a list. */
export interface All<Item> {
  readonly items: readonly Item[]
  /** True if the list has more items than were read. */
  readonly isCut: boolean
}

interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly cursor?: string | undefined
}

/** Reads a list page by page, up to 10,000 items. */
export async function allOf<Item>(
  read: (place: { readonly limit: number; readonly cursor: string | undefined }) => Promise<ListPage<Item>>,
): Promise<All<Item>> {
  const items: Item[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await read({ limit: ROWS, cursor })
    items.push(...answer.items)
    cursor = answer.cursor
    if (cursor === undefined) return { items, isCut: false }
  }
  return { items, isCut: true }
}

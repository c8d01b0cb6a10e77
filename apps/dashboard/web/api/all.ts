/** Rows of a page, and most pages that are read. */
const [ROWS, PAGES] = [1_000, 10]

/** A list as a whole. */
export interface All<Item> {
  readonly items: readonly Item[]
  /** Whether there are more than anybody looks through. */
  readonly isCut: boolean
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly cursor?: string | undefined
}

/** Reads a list page by page, ten thousand rows at most. */
export async function allOf<Item>(
  read: (place: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Page<Item>>,
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

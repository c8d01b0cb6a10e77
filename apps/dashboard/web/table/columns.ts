import type { ReactNode } from 'react'

/** What a column is ordered by. Null is last, whichever way. */
export type SortKey = string | number | bigint | null

/** A column of a table. */
export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** Whether the title is only for who does not see it, as of buttons. */
  readonly isTitleHidden?: boolean | undefined
  cell(row: Row): ReactNode
  /** Absent = it can not be sorted by. */
  sortBy?(row: Row): SortKey
  /** Whether the first click puts the greatest on top. */
  readonly isDescending?: boolean | undefined
  /** Numbers stand at the right. */
  readonly isNumber?: boolean | undefined
  /** Width as CSS says it; the columns without one share what is left. */
  readonly width?: string | undefined
  /** Below which width of the window it is left out. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl' | undefined
  /** Whether it is what the row is called. */
  readonly isName?: boolean | undefined
}

export interface Sort {
  readonly id: string
  readonly isDescending: boolean
}

/** An order as an address has it: `cost`, or `-cost` for the greatest on top. */
export function readSort(text: string | undefined): Sort | undefined {
  if (text === undefined) return undefined
  return text.startsWith('-') ? { id: text.slice(1), isDescending: true } : { id: text, isDescending: false }
}

export function sortText({ id, isDescending }: Sort): string {
  return isDescending ? `-${id}` : id
}

/** The order after a click on a column. */
export function nextSort<Row>(sort: Sort | undefined, column: Column<Row>): Sort {
  if (sort?.id === column.id) return { id: column.id, isDescending: !sort.isDescending }
  return { id: column.id, isDescending: column.isDescending ?? column.isNumber ?? false }
}

/** Texts are ordered as the reader's language has it, numbers by their size. */
export function compareKeys(one: SortKey, other: SortKey): number {
  if (typeof one === 'string' || typeof other === 'string')
    return String(one).localeCompare(String(other), undefined, { numeric: true })
  const [low, high] = [one ?? 0, other ?? 0]
  return low < high ? -1 : low > high ? 1 : 0
}

/** Rows with the order that is wanted. */
export interface Sortable<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly sort?: Sort | undefined
}

/**
 * Rows in the order that is asked for, those of which it is not known last, whichever way; in their own where none is.
 */
export function sorted<Row>({ columns, rows, sort }: Sortable<Row>): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.id)?.sortBy
  if (!sort || !sortBy) return rows
  const keyed = rows.map((row) => ({ row, key: sortBy(row) }))
  const [known, unknown] = [keyed.filter(({ key }) => key !== null), keyed.filter(({ key }) => key === null)]
  const way = sort.isDescending ? -1 : 1
  return [...known.sort((one, other) => way * compareKeys(one.key, other.key)), ...unknown].map(({ row }) => row)
}

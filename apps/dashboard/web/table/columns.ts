import type { ReactNode } from 'react'

/** Sort key of a row. Null is always last. */
export type SortKey = string | number | bigint | null

/** Column of a table. */
export interface TableColumn<Row> {
  readonly id: string
  readonly title: string
  /** True if only screen readers see the title. */
  readonly isTitleHidden?: boolean | undefined
  cell(row: Row): ReactNode
  /** Absent = the column cannot be sorted. */
  sortBy?(row: Row): SortKey
  /** True if the first click sorts in descending order. */
  readonly isDescending?: boolean | undefined
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean | undefined
  /** CSS width. Columns without a width share the remaining space. */
  readonly width?: string | undefined
  /** Smallest breakpoint at which the column is visible. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl' | undefined
  /** True for the name of the row, which is its header cell. */
  readonly isName?: boolean | undefined
}

export interface Sort {
  readonly id: string
  readonly isDescending: boolean
}

/** Parses the sort parameter of an address: `cost`, or `-cost` for descending order. */
export function readSort(text: string | undefined): Sort | undefined {
  if (text === undefined) return undefined
  return text.startsWith('-') ? { id: text.slice(1), isDescending: true } : { id: text, isDescending: false }
}

export function sortText({ id, isDescending }: Sort): string {
  return isDescending ? `-${id}` : id
}

/** Sort order after a click on a column. */
export function nextSort<Row>(sort: Sort | undefined, column: TableColumn<Row>): Sort {
  if (sort?.id === column.id) return { id: column.id, isDescending: !sort.isDescending }
  return { id: column.id, isDescending: column.isDescending ?? column.isNumber ?? false }
}

/** Compares sort keys: strings in the order of the user's language, numbers by value. */
export function compareKeys(one: SortKey, other: SortKey): number {
  if (typeof one === 'string' || typeof other === 'string')
    return String(one).localeCompare(String(other), undefined, { numeric: true })
  const [low, high] = [one ?? 0, other ?? 0]
  return low < high ? -1 : low > high ? 1 : 0
}

/** Rows with a sort order. */
export interface Sortable<Row> {
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly sort?: Sort | undefined
}

/** Sorts rows, with unknown values last. Without a sort order, the rows are returned unchanged. */
export function sorted<Row>({ columns, rows, sort }: Sortable<Row>): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.id)?.sortBy
  if (!sort || !sortBy) return rows
  const keyed = rows.map((row) => ({ row, key: sortBy(row) }))
  const [known, unknown] = [keyed.filter(({ key }) => key !== null), keyed.filter(({ key }) => key === null)]
  const way = sort.isDescending ? -1 : 1
  return [...known.sort((one, other) => way * compareKeys(one.key, other.key)), ...unknown].map(({ row }) => row)
}

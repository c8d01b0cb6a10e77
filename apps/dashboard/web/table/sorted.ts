import { useMemo } from 'react'
import { compareKeys } from './columns.ts'
import type { TableProps } from './frame.tsx'

type Sortable<Row extends object> = Pick<TableProps<Row>, 'columns' | 'rows' | 'sort'>

/**
 * Rows in the order that is asked for, those of which it is not known last, whichever way; in their own where none is.
 */
export function sorted<Row extends object>({ columns, rows, sort }: Sortable<Row>): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.id)?.sortBy
  if (!sort || !sortBy) return rows
  const keyed = rows.map((row) => ({ row, key: sortBy(row) }))
  const [known, unknown] = [keyed.filter(({ key }) => key !== null), keyed.filter(({ key }) => key === null)]
  const way = sort.isDescending ? -1 : 1
  return [...known.sort((one, other) => way * compareKeys(one.key, other.key)), ...unknown].map(({ row }) => row)
}

export function useSorted<Row extends object>({ columns, rows, sort }: Sortable<Row>): readonly Row[] {
  const [id, isDescending] = [sort?.id, sort?.isDescending ?? false]
  return useMemo(
    () => sorted({ columns, rows, sort: id === undefined ? undefined : { id, isDescending } }),
    [columns, rows, id, isDescending],
  )
}

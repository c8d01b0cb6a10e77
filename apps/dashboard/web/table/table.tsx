import { useMemo } from 'react'
import { type Sortable, sorted } from './columns.ts'
import { TableFrame, type TableProps, type VisibleRows } from './frame.tsx'

/** Sortable table for few rows. */
export function Table<Row extends object>(props: TableProps<Row>) {
  return <TableFrame {...props} rows={useSorted(props)} useShown={useAll} />
}

function useAll(count: number): VisibleRows {
  return { shown: Array.from({ length: count }, (_, index) => index), above: 0, below: 0 }
}

export function useSorted<Row extends object>({ columns, rows, sort }: Sortable<Row>): readonly Row[] {
  const [id, isDescending] = [sort?.id, sort?.isDescending ?? false]
  return useMemo(
    () => sorted({ columns, rows, sort: id === undefined ? undefined : { id, isDescending } }),
    [columns, rows, id, isDescending],
  )
}

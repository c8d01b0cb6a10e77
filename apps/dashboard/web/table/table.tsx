import { type Shown, TableFrame, type TableProps } from './frame.tsx'
import { useSorted } from './sorted.ts'

/** A table of few rows, which can be sorted. */
export function Table<Row extends object>(props: TableProps<Row>) {
  return <TableFrame {...props} rows={useSorted(props)} useShown={useAll} />
}

function useAll(count: number): Shown {
  return { shown: Array.from({ length: count }, (_, index) => index), above: 0, below: 0 }
}

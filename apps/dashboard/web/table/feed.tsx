import { TableFrame, type TableProps } from './frame.tsx'
import { useVisible } from './visible.ts'

/** A table of any number of rows in the order in which they come, as newest first: it can not be sorted. */
export function Feed<Row extends object>(props: Omit<TableProps<Row>, 'sort' | 'onSort'>) {
  return <TableFrame {...props} useShown={useVisible} />
}

import { useVisible } from './feed.tsx'
import { TableFrame, type TableProps } from './frame.tsx'

/** Virtualized table in the order of the server, which a click on a column changes. */
export function OrderedTable<Row extends object>(props: TableProps<Row>) {
  return <TableFrame {...props} useShown={useVisible} />
}

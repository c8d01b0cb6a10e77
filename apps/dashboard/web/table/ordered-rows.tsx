import { useVisible } from './feed.tsx'
import { TableFrame, type TableProps } from './frame.tsx'

/** Rows of `OrderedTable`, loaded on demand. */
export function OrderedRows<Row extends object>(props: TableProps<Row>) {
  return <TableFrame {...props} useShown={useVisible} />
}

import { useVisible } from './feed.tsx'
import { TableFrame, type TableProps } from './frame.tsx'
import { useSorted } from './table.tsx'

/** Rows of `LongTable`, loaded on demand. */
export function LongRows<Row extends object>(props: TableProps<Row>) {
  return <TableFrame {...props} rows={useSorted(props)} useShown={useVisible} />
}

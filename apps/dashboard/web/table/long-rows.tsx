import { useVisible } from './feed.tsx'
import { TableFrame, type TableProps } from './frame.tsx'
import { useSorted } from './table.tsx'

/** What `LongTable` draws once it is here. */
export function LongRows<Row extends object>(props: TableProps<Row>) {
  return <TableFrame {...props} rows={useSorted(props)} useShown={useVisible} />
}

import { lazy, Suspense } from 'react'
import { Skeleton } from '../components/states.tsx'
import type { TableProps } from './frame.tsx'

// What sorts and what measures are heavy, and no page needs them before its rows are here.
const LongRows = lazy(() => import('./long-rows.tsx').then(({ LongRows: component }) => ({ default: component })))

/** A table of any number of rows, which can be sorted; only those are in the page that can be seen. */
export function LongTable<Row extends object>(props: TableProps<Row>) {
  return (
    <Suspense fallback={<Skeleton rows={Math.min(props.rows.length + 1, 20)} />}>
      <LongRows {...props} />
    </Suspense>
  )
}

import { lazy, Suspense } from 'react'
import { Skeleton } from '../components/states.tsx'
import type { TableProps } from './frame.tsx'

// Virtualization is large, and pages need it only with their rows.
const OrderedRows = lazy(() => import('./ordered-rows.tsx').then(({ OrderedRows: rows }) => ({ default: rows })))

/** Virtualized table in the order of the server, which a click on a column changes. */
export function OrderedTable<Row extends object>(props: TableProps<Row>) {
  return (
    <Suspense fallback={<Skeleton rows={Math.min(props.rows.length + 1, 20)} />}>
      <OrderedRows {...props} />
    </Suspense>
  )
}

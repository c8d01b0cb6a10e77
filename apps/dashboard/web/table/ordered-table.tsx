import { lazy, Suspense } from 'react'
import { Later } from '../components/later.tsx'
import { Skeleton } from '../components/states.tsx'
import type { TableProps } from './frame.tsx'

// Virtualization is large, and pages need it only with their rows.
const OrderedRows = lazy(() => import('./ordered-rows.tsx').then(({ OrderedRows: rows }) => ({ default: rows })))

/** Virtualized table in the order of the server, which a click on a column changes. */
export function OrderedTable<Row extends object>(props: TableProps<Row>) {
  const skeleton = <Skeleton rows={Math.min(props.rows.length + 1, 20)} />
  return (
    <Later instead={skeleton}>
      <Suspense fallback={skeleton}>
        <OrderedRows {...props} />
      </Suspense>
    </Later>
  )
}

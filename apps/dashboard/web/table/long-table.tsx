import { lazy, Suspense } from 'react'
import { Later } from '../components/later.tsx'
import { Skeleton } from '../components/states.tsx'
import type { TableProps } from './frame.tsx'

// Sorting and virtualization are large, and pages need them only with their rows.
const LongRows = lazy(() => import('./long-rows.tsx').then(({ LongRows: component }) => ({ default: component })))

/** Virtualized, sortable table. */
export function LongTable<Row extends object>(props: TableProps<Row>) {
  const skeleton = <Skeleton rows={Math.min(props.rows.length + 1, 20)} />
  return (
    <Later instead={skeleton}>
      <Suspense fallback={skeleton}>
        <LongRows {...props} />
      </Suspense>
    </Later>
  )
}

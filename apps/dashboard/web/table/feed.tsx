import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { TableFrame, type TableProps, type VisibleRows } from './frame.tsx'

/** Virtualized table in a fixed order, such as newest first. */
export function Feed<Row extends object>(props: Omit<TableProps<Row>, 'sort' | 'onSort'>) {
  return <TableFrame {...props} useShown={useVisible} />
}

/** Number of rows from which only visible rows are rendered. */
const VIRTUAL_FROM = 60
/** Rows that are rendered beyond the edges of the window. */
const BEYOND = 12

/** Visible rows of a table. */
export function useVisible(count: number, body: RefObject<HTMLTableSectionElement | null>): VisibleRows {
  const isVirtual = count >= VIRTUAL_FROM
  const [top, setTop] = useState(0)
  const height = useRowHeight()
  const virtual = useWindowVirtualizer({
    count,
    overscan: BEYOND,
    scrollMargin: top,
    enabled: isVirtual,
    estimateSize: () => height,
  })
  useLayoutEffect(() => {
    // Content above the table can appear later than the rows.
    const now = body.current ? body.current.getBoundingClientRect().top + window.scrollY : 0
    if (Math.abs(now - top) >= 1) setTop(now)
  })
  if (!isVirtual) return { shown: Array.from({ length: count }, (_, index) => index), above: 0, below: 0 }
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0], items.at(-1)]
  return {
    shown: items.map(({ index }) => index),
    above: first ? first.start - top : 0,
    below: last ? virtual.getTotalSize() - (last.end - top) : 0,
  }
}

/** Row height from the style sheet, which is larger on touch screens. */
function useRowHeight(): number {
  return useMemo(
    () => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 32,
    [],
  )
}

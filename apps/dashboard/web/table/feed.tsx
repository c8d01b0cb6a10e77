import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { type Shown, TableFrame, type TableProps } from './frame.tsx'

/** A table of any number of rows in the order in which they come, as newest first: it can not be sorted. */
export function Feed<Row extends object>(props: Omit<TableProps<Row>, 'sort' | 'onSort'>) {
  return <TableFrame {...props} useShown={useVisible} />
}

/** From how many rows on only those are there that can be seen. */
const VIRTUAL_FROM = 60
/** Rows beyond the edge of the window. */
const BEYOND = 12

/** The rows that can be seen, of any number. */
export function useVisible(count: number, body: RefObject<HTMLTableSectionElement | null>): Shown {
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
    // What stands above may have come later than the rows.
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

/** As the style has it: more where fingers point. */
function useRowHeight(): number {
  return useMemo(
    () => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 32,
    [],
  )
}

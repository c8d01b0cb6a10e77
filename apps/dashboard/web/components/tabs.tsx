import type { ReactNode } from 'react'
import { useEffect, useId, useRef } from 'react'
import { classes } from './classes.ts'

export interface TabOption<Id extends string> {
  readonly id: Id
  readonly title: ReactNode
}

export interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly TabOption<Id>[]
  readonly chosen: Id
  onChoose(id: Id): void
  readonly children: ReactNode
}

/** Tabs. Arrow keys select the next and the previous one. */
export function Tabs<const Id extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Id>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Scrolls the selected tab into view if not all fit.
    const [row, tab] = [list.current, list.current?.querySelector<HTMLElement>(`[data-tab="${chosen}"]`)]
    if (!row || !tab) return
    const [left, right] = [tab.offsetLeft - row.offsetLeft, tab.offsetLeft - row.offsetLeft + tab.offsetWidth]
    if (left < row.scrollLeft) row.scrollLeft = left
    else if (right > row.scrollLeft + row.clientWidth) row.scrollLeft = right - row.clientWidth
  }, [chosen])
  const go = (by: number): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen)
    const next = tabs[(at + by + tabs.length) % tabs.length]
    if (!next) return
    onChoose(next.id)
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex gap-1 overflow-x-auto border-b border-line"
        onKeyDown={({ key }) => {
          if (key === 'ArrowRight') go(1)
          if (key === 'ArrowLeft') go(-1)
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            data-tab={tab.id}
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
            className={classes(
              'min-h-(--control) border-b-2 px-3 whitespace-nowrap outline-offset-[-2px] pointer-coarse:min-h-11',
              tab.id === chosen ? 'border-text font-medium text-text' : 'border-transparent text-muted hover:text-text',
            )}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} className="pt-3">
        {children}
      </div>
    </div>
  )
}

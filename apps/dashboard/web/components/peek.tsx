import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useShortcut } from '../shell/shortcuts.ts'
import { IconButton } from './button.tsx'
import { Skeleton } from './states.tsx'

export interface PeekProps {
  readonly title: ReactNode
  readonly actions?: ReactNode
  onClose(): void
  /** What is open: another one has the panel begin at its top. */
  readonly of: string
  readonly children: ReactNode
}

/** What is open of a list, docked at the right; the list stays as live as it was. On phones it is the page. */
export function Peek({ title, actions, onClose, of, children }: PeekProps) {
  const panel = useRef<HTMLElement>(null)
  const heading = useId()
  useEffect(() => {
    // Another row begins at its top.
    if (of !== '') panel.current?.scrollTo({ top: 0 })
  }, [of])
  const close = (): void => {
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(of)}"]`)
    onClose()
    row?.focus()
  }
  useShortcut('Escape', 'Close what is open', close)
  return (
    <section
      ref={panel}
      aria-labelledby={heading}
      className="fixed inset-0 z-30 overflow-y-auto bg-bg md:sticky md:inset-auto md:top-(--bar) md:z-10 md:h-[calc(100dvh-var(--bar))] md:w-[min(46%,44rem)] md:shrink-0 md:border-l md:border-line"
    >
      <header className="sticky top-0 z-10 flex items-center justify-between gap-2 border-b border-line bg-bg px-4 py-2">
        <h2 id={heading} className="min-w-0 truncate text-lead font-semibold">
          {title}
        </h2>
        <div className="flex items-center gap-1">
          {actions}
          <IconButton label="Close" onClick={close}>
            <X aria-hidden size={16} />
          </IconButton>
        </div>
      </header>
      <div className="flex flex-col gap-6 p-4">{children}</div>
    </section>
  )
}

/** The same while what it is made of comes. */
export function PeekPending(props: Pick<PeekProps, 'of' | 'title' | 'onClose'>) {
  return (
    <Peek {...props}>
      <Skeleton rows={10} />
    </Peek>
  )
}

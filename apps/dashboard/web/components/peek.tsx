import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { LABELS } from '../labels.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { IconButton } from './button.tsx'
import { Skeleton } from './states.tsx'

export interface PeekProps {
  readonly title: ReactNode
  readonly actions?: ReactNode
  onClose(): void
  /** ID of the open item. The panel scrolls to its top when it changes. */
  readonly of: string
  readonly children: ReactNode
}

/** Panel with the open item of a list, docked to the right. It covers the page on phones. */
export function Peek({ title, actions, onClose, of, children }: PeekProps) {
  const panel = useRef<HTMLElement>(null)
  const heading = useId()
  useEffect(() => {
    if (of !== '') panel.current?.scrollTo({ top: 0 })
  }, [of])
  const close = (): void => {
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(of)}"]`)
    onClose()
    row?.focus()
  }
  useShortcut('Escape', 'Close the panel', close)
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
          <IconButton label={LABELS.close} onClick={close}>
            <X aria-hidden size={16} />
          </IconButton>
        </div>
      </header>
      <div className="flex flex-col gap-6 p-4">{children}</div>
    </section>
  )
}

/** Panel that is still loading. */
export function PeekPending(props: Pick<PeekProps, 'of' | 'title' | 'onClose'>) {
  return (
    <Peek {...props}>
      <Skeleton rows={10} />
    </Peek>
  )
}

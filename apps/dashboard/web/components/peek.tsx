import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react'
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

/**
 * Panel with the open item of a list, docked to the right. It covers the page on phones. Its heading gets the focus when
 * a row opens it, and the row gets it back.
 */
export function Peek({ title: content, actions, onClose, of, children }: PeekProps) {
  const panel = useRef<HTMLElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const heading = useId()
  useFocusOf(of, panel, title)
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
      data-of={of}
      aria-labelledby={heading}
      className="fixed inset-0 z-30 overflow-y-auto bg-bg md:sticky md:inset-auto md:top-(--bar) md:z-10 md:h-[calc(100dvh-var(--bar))] md:w-[min(46%,44rem)] md:shrink-0 md:border-l md:border-line"
    >
      <header className="sticky top-0 z-10 flex items-center justify-between gap-2 border-b border-line bg-bg px-4 py-2">
        <h2 id={heading} ref={title} tabIndex={-1} className="min-w-0 truncate text-lead font-semibold">
          {content}
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

/** Item whose panel had the focus when it was replaced, as the placeholder of a panel is. */
let focused: string | undefined

function rowOf(target: EventTarget | null): string | undefined {
  return target instanceof HTMLElement ? target.dataset['row'] : undefined
}

/**
 * Moves the focus to the heading when a row opens the panel, and on Enter in a row while it is open. The keys `j` and `k`
 * change the item, and leave the focus in the list.
 */
function useFocusOf(
  of: string,
  panel: RefObject<HTMLElement | null>,
  title: RefObject<HTMLHeadingElement | null>,
): void {
  const entered = useRef<string>(undefined)
  useLayoutEffect(() => {
    const element = panel.current
    const isKept = focused !== undefined && focused === element?.dataset['of']
    entered.current = isKept ? focused : rowOf(document.activeElement)
    focused = undefined
    return () => {
      if (element?.contains(document.activeElement)) focused = element.dataset['of']
    }
  }, [panel])
  useLayoutEffect(() => {
    if (entered.current === of) title.current?.focus({ preventScroll: true })
    entered.current = undefined
    const onEnter = (event: KeyboardEvent): void => {
      const row = event.key === 'Enter' ? rowOf(event.target) : undefined
      if (row === of) title.current?.focus({ preventScroll: true })
      else entered.current = row
    }
    document.addEventListener('keydown', onEnter)
    return () => document.removeEventListener('keydown', onEnter)
  }, [of, title])
}

/** Panel that is still loading. */
export function PeekPending(props: Pick<PeekProps, 'of' | 'title' | 'onClose'>) {
  return (
    <Peek {...props}>
      <Skeleton rows={10} />
    </Peek>
  )
}

import { type ReactNode, useEffect, useId, useRef } from 'react'
import { buttonClass } from './button.tsx'
import { classes } from './classes.ts'

/** Button that opens a list, based on the `popover` attribute. Esc and a click outside close it. */
export function Popover({ label, face, children, className, isAtEnd = false, isAbove = false }: PopoverProps) {
  const id = useId()
  const anchor = `--a${id.replace(/[^a-zA-Z0-9]/g, '')}`
  const popover = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = popover.current
    const close = ({ target }: Event): void => {
      if (target instanceof Element && target.closest('a,button[data-closes]')) element?.hidePopover?.()
    }
    element?.addEventListener('click', close)
    return () => element?.removeEventListener('click', close)
  }, [])
  const place = `${isAbove ? 'top' : 'bottom'} span-${isAtEnd ? 'left' : 'right'}`
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={label}
        title={label}
        className={buttonClass('quiet', className)}
        style={{ anchorName: anchor }}
      >
        {face}
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        className={classes(
          'm-1 min-w-52 max-w-[calc(100vw-1rem)] rounded-panel border border-line bg-bg p-1 text-text shadow-overlay',
        )}
        style={{ positionAnchor: anchor, positionArea: place, positionTryFallbacks: 'flip-block, flip-inline' }}
      >
        {children}
      </div>
    </>
  )
}

export interface PopoverProps {
  readonly label: string
  readonly face: ReactNode
  readonly children: ReactNode
  readonly className?: string
  readonly isAtEnd?: boolean
  readonly isAbove?: boolean
}

/** Classes of an entry of the list. */
export const ENTRY =
  'flex w-full items-center gap-2 rounded-field px-3 min-h-(--control) pointer-coarse:min-h-11 text-left text-body hover:bg-sunken aria-[current=page]:bg-sunken'

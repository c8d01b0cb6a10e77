import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import type { PopupState } from './use-popup.ts'

export interface PopupProps {
  readonly state: PopupState
  /** Name for screen readers. */
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** Box below a button, in the top layer. Its content is mounted only while it is open. */
export function Popup({ state, label, className, children }: PopupProps) {
  const { isOpen, id, anchor, popup, onKeyDown } = state
  if (!isOpen) return null
  return (
    <div
      ref={popup}
      id={id}
      popover="manual"
      role="dialog"
      aria-label={label}
      onKeyDown={onKeyDown}
      className={classes(
        'my-1 max-w-[calc(100vw-1rem)] rounded-panel border border-line bg-bg p-1 text-text shadow-overlay',
        className,
      )}
      style={{
        positionAnchor: anchor,
        positionArea: 'bottom span-right',
        positionTryFallbacks: 'flip-block, flip-inline, flip-block flip-inline',
        minWidth: 'anchor-size(width)',
      }}
    >
      {children}
    </div>
  )
}

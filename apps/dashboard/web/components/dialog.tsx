import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { LABELS } from '../labels.ts'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  /** Called on Esc, on the close button and on a click outside. */
  onClose(): void
  /** True if only Esc and the dialog's own buttons close it. */
  readonly isPersistent?: boolean | undefined
  readonly size?: 'small' | 'large' | undefined
  readonly children: ReactNode
}

/** Modal dialog, based on `<dialog>`. Its content is mounted only while it is open. */
export function Dialog({ title, isOpen, onClose, isPersistent = false, size = 'small', children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const opener = useRef<HTMLElement>(null)
  const heading = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    if (isOpen && !element.open) {
      opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
      element.showModal()
      // Otherwise the close button would get the focus.
      element.querySelector<HTMLElement>('[data-first-focus],input,select,textarea')?.focus()
    }
    if (!isOpen && element.open) element.close()
    const before = isOpen ? opener.current : null
    return () => {
      // A dialog that is removed from the page does not restore the focus.
      if (before?.isConnected && !element.isConnected) before.focus()
    }
  }, [isOpen])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={() => {
        if (!isOpen) return
        // Browsers close the dialog on a second Esc even if the first was prevented.
        if (isPersistent) dialog.current?.showModal()
        onClose()
      }}
      closedby={isPersistent ? 'closerequest' : 'any'}
      className={classes(
        'm-auto max-h-[90dvh] w-[calc(100vw-2rem)] rounded-panel border border-line bg-bg p-0 text-text shadow-overlay backdrop:bg-black/40',
        size === 'small' ? 'max-w-lg' : 'max-w-3xl',
      )}
    >
      {isOpen && (
        <div className="flex flex-col gap-4 p-5">
          <div className="flex items-start justify-between gap-4">
            <h2 id={heading} className="text-lead font-semibold">
              {title}
            </h2>
            {!isPersistent && (
              <IconButton label={LABELS.close} onClick={onClose} className="-mt-1 -mr-2">
                <X aria-hidden size={16} />
              </IconButton>
            )}
          </div>
          {children}
        </div>
      )}
    </dialog>
  )
}

/** Buttons at the bottom of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-1 flex flex-wrap justify-end gap-2">{children}</div>
}

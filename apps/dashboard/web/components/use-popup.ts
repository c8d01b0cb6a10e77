import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'

/** State of a popup below its button. */
export interface PopupState {
  readonly isOpen: boolean
  /** ID of the popup. */
  readonly id: string
  /** CSS anchor that connects the popup to its button. */
  readonly anchor: string
  readonly opener: RefObject<HTMLButtonElement | null>
  readonly popup: RefObject<HTMLDivElement | null>
  open(): void
  /** Closes the popup. The button gets the focus, unless the user went to another element. */
  close(isElsewhere?: boolean): void
  onKeyDown(event: KeyboardEvent): void
}

/** Popup in the top layer, which Escape, Tab and a click outside close. */
export function usePopup(): PopupState {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = (isElsewhere = false): void => {
    setOpen(false)
    if (!isElsewhere) opener.current?.focus()
  }
  useEffect(() => {
    if (!isOpen) return undefined
    const element = popup.current
    element?.showPopover?.()
    // A field that was mounted before the popup was visible could not get the focus.
    if (!element?.contains(document.activeElement)) element?.querySelector('input')?.focus()
    const isOutside = ({ target }: Event): boolean =>
      target instanceof Node && !popup.current?.contains(target) && !opener.current?.contains(target)
    const leave = (event: Event): void => {
      if (isOutside(event)) setOpen(false)
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [isOpen])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      // The dialog around it stays open.
      event.preventDefault()
      event.stopPropagation()
      close()
    }
    // Enter chooses; it does not submit the form around it.
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
  }
  return {
    isOpen,
    id,
    anchor: `--p${id.replace(/[^a-zA-Z0-9]/g, '')}`,
    opener,
    popup,
    open: () => setOpen(true),
    close,
    onKeyDown,
  }
}

import { useSyncExternalStore } from 'react'

let current = ''
const listeners = new Set<() => void>()

/** Announces a message to screen readers. */
export function announce(text: string): void {
  // Screen readers ignore a repeated message unless it differs.
  current = current === text ? `${text}\u00a0` : text
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Announcements() {
  const text = useSyncExternalStore(subscribe, () => current)
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {text}
    </div>
  )
}

import { useSyncExternalStore } from 'react'

let said = ''
const listeners = new Set<() => void>()

/** Says something to who does not see it happen. */
export function announce(text: string): void {
  // The same words again are only read where they differ.
  said = said === text ? `${text}\u00a0` : text
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Announcements() {
  const text = useSyncExternalStore(subscribe, () => said)
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {text}
    </div>
  )
}

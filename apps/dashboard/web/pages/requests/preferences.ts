import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

/** Preference that the browser stores; undefined = not set. Storage that is full or blocked is the same as not set. */
export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(`headgate.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a preference of this browser. Undefined removes it. @returns false if the browser cannot store it */
export function writePreference(name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) localStorage.removeItem(`headgate.${name}`)
    else localStorage.setItem(`headgate.${name}`, value)
    return true
  } catch {
    return false
  } finally {
    for (const listener of listeners) listener()
  }
}

export function usePreference(name: string): string | undefined {
  return useSyncExternalStore(subscribe, () => readPreference(name))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

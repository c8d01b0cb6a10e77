import { useSyncExternalStore } from 'react'

/** How often what is said of time is said anew, in milliseconds. */
const STEP = 15_000

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, STEP)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time as all of a page sees it: one clock for all, so that nothing disagrees. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

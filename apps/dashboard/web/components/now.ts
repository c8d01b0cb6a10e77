import { useSyncExternalStore } from 'react'

/** Interval at which relative times are updated, in milliseconds. */
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

/** Current time. All components share one clock, so that they agree. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

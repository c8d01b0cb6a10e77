import { problemOf } from '../api/problem.ts'

/** Somebody who has to show who they are before something goes on. */
export interface Waiting {
  go(): void
  stop(): void
}

let waiting: Waiting | undefined
const listeners = new Set<() => void>()

function change(next: Waiting | undefined): void {
  waiting = next
  for (const listener of listeners) listener()
}

export function waitingNow(): Waiting | undefined {
  return waiting
}

export function onWaiting(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Does something sensitive. Where the gateway wants to know once more who asks, they are asked, and it is tried again.
 * @throws what it throws; the first problem where they decline.
 */
export async function confirmed<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    if (!problemOf(error).wantsConfirmation) throw error
    await new Promise<void>((resolve, reject) => {
      change({
        go: () => {
          change(undefined)
          resolve()
        },
        stop: () => {
          change(undefined)
          reject(error)
        },
      })
    })
    return act()
  }
}

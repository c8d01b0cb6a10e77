import { problemOf } from '../api/problem.ts'

/** Action that waits until the user has confirmed their identity. */
export interface PendingConfirmation {
  go(): void
  stop(): void
}

let waiting: PendingConfirmation | undefined
const listeners = new Set<() => void>()

function change(next: PendingConfirmation | undefined): void {
  waiting = next
  for (const listener of listeners) listener()
}

export function waitingNow(): PendingConfirmation | undefined {
  return waiting
}

export function onWaiting(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Runs a sensitive action. If the gateway requires a confirmation, a dialog opens and the action runs again afterwards.
 * @throws the error of the action; the first problem if the user declines
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

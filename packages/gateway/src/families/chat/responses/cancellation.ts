import { setTimeout as wait } from 'node:timers/promises'
import type { Json } from '@headgate/core/canonical'
import type { Principal } from '../../../ports/ledger.ts'
import type { StoredResponse } from '../../../ports/responses.ts'
import type { Core } from '../../../serve/core.ts'

/** Interval at which a process checks for cancellations by other processes, in milliseconds. */
const LOOK_MS = 500
/** Maximum wait for the other process to cancel, in milliseconds. */
const PATIENCE_MS = 5_000

/** Name of the record that requests a cancellation from other processes. */
function requestOf(id: string): string {
  return `${id}:cancel`
}

/** Calls `onCanceled` once another process requests the cancellation. Returns a function that ends the watch. */
export function watchCancellation(core: Core, principal: Principal, id: string, onCanceled: () => void): () => void {
  const look = async (): Promise<void> => {
    const found = await core.storedResponses.find(principal, [requestOf(id)])
    if (found.size === 0) return
    clearInterval(timer)
    onCanceled()
  }
  // If the store is unavailable, the next check tries again.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Requests the cancellation from the process that creates the response. `endOf` reads the final state; undefined =
 * still open. Resolves with the final state, or undefined after a timeout. The request then stays in the store and
 * takes effect later.
 */
export async function requestCancellation(
  core: Core,
  principal: Principal,
  { id, model }: Pick<StoredResponse, 'id' | 'model'>,
  endOf: () => Promise<Json | undefined>,
): Promise<Json | undefined> {
  await core.storedResponses.add(principal, { id: requestOf(id), model, items: [] }, { input: [], answer: {} })
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const ended = await endOf()
    if (ended) {
      for (const request of (await core.storedResponses.find(principal, [requestOf(id)])).values())
        await core.storedResponses.remove(request)
      return ended
    }
    await wait(LOOK_MS / 5)
  }
  return undefined
}

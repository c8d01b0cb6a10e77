import { setTimeout as wait } from 'node:timers/promises'
import type { Json } from '@headgate/core/canonical'
import type { KeptAnswer } from '../../../ports/answers.ts'
import type { Principal } from '../../../ports/ledger.ts'
import type { Core } from '../../../serve/core.ts'

/** How often the process that makes an answer looks whether another one has canceled it, in milliseconds. */
const LOOK_MS = 500
/** How long a cancellation waits for that process, in milliseconds. */
const PATIENCE_MS = 5_000

/** Name of the record by which processes that share a store cancel an answer. */
function requestOf(id: string): string {
  return `${id}:cancel`
}

/** Calls `onCanceled` once another process has canceled the answer. Returns what ends the watch. */
export function watchCancellation(core: Core, principal: Principal, id: string, onCanceled: () => void): () => void {
  const look = async (): Promise<void> => {
    const found = await core.answers.find(principal, [requestOf(id)])
    if (found.size === 0) return
    clearInterval(timer)
    onCanceled()
  }
  // A store that is away answers the next time.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Has the process that makes an answer cancel it. `endOf` reads what has become of the answer; undefined while it is
 * open. Resolves with that, or undefined if the process does not react in time: the record stays, so that it still does
 * later.
 */
export async function cancelElsewhere(
  core: Core,
  principal: Principal,
  { id, model }: Pick<KeptAnswer, 'id' | 'model'>,
  endOf: () => Promise<Json | undefined>,
): Promise<Json | undefined> {
  await core.answers.keep(principal, { id: requestOf(id), model, items: [] }, { input: [], answer: {} })
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const ended = await endOf()
    if (ended) {
      for (const request of (await core.answers.find(principal, [requestOf(id)])).values())
        await core.answers.remove(request)
      return ended
    }
    await wait(LOOK_MS / 5)
  }
  return undefined
}

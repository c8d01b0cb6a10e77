import type { Core } from '../../serve/core.ts'
import { checkStrict } from '../../serve/losses.ts'
import { createFetcher, type Fetcher } from '../../serve/media.ts'
import type { ChatCall } from './chat-call.ts'
import { type ChatPlan, planFor } from './plan.ts'

/** Completes a pending plan; the result is cached. @throws HeadgateError if its media cannot be fetched or sent. */
export type PreparePlan = (pending: ChatPlan) => Promise<ChatPlan>

export function createPlanPreparer(core: Core, chat: ChatCall): PreparePlan {
  let fetch: Fetcher | undefined
  let made: Map<ChatPlan, ChatPlan> | undefined
  return async (pending) => {
    const known = made?.get(pending)
    if (known) return known
    fetch ??= createFetcher(core, chat.context)
    const plan = planFor(chat, pending.candidate, { media: await fetch(pending.pending ?? []) })
    checkStrict(chat.context, plan.losses, `Provider ${plan.candidate.instance.name}`)
    made ??= new Map()
    made.set(pending, plan)
    return plan
  }
}

import type { Json, ResponseSummary } from '@headgate/core/canonical'
import { placeOf } from '../../../routing/catalog.ts'
import type { Core } from '../../../serve/core.ts'
import type { ChatCall } from '../chat-call.ts'
import type { ChatPlan } from '../plan.ts'

/** Records which provider stores a response, by the ids known so far. Undefined = nothing to record. */
export function recordProvider(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  { id, items = [] }: ResponseSummary,
): Promise<void> | undefined {
  const { context, state, model } = chat
  const { remote } = plan
  if (!chat.format.references) return recordStoredObjects(core, chat, plan, items)
  if (!state?.keeps || state.background || remote?.format !== chat.format || id === undefined) return undefined
  if (remote.support.storesResponses === false) return undefined
  return core.storedResponses.recordAt(context.principal, placeOf(plan.candidate.instance, plan.candidate.endpoint), {
    id,
    model,
    items,
  })
}

/**
 * Records which provider stores the files, containers and audio of a response, in formats that do not store responses.
 */
function recordStoredObjects(
  core: Core,
  { context, format, model }: ChatCall,
  plan: ChatPlan,
  items: readonly string[] = [],
): Promise<void> | undefined {
  const [id] = items
  if (id === undefined || plan.remote?.format !== format) return undefined
  return core.storedResponses.recordAt(context.principal, placeOf(plan.candidate.instance, plan.candidate.endpoint), {
    id,
    model,
    items,
  })
}

/**
 * Stores a response or records where it is stored. The end of the response waits for this; undefined = nothing to do.
 */
export function storeResponse(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  summary: ResponseSummary,
): Promise<void> | undefined {
  const { context, state, slot: kept, model } = chat
  if (!chat.format.references) return recordStoredObjects(core, chat, plan, summary.items)
  if (!state?.keeps) return undefined
  // A background stream is stored with its events when they are complete.
  if (state.background && chat.stream) return undefined
  if (plan.remote?.format === chat.format && !state.background) return recordProvider(core, chat, plan, summary)
  const answer: Json | undefined = kept?.answer
  if (!kept || !answer) return undefined
  return core.storedResponses.add(
    context.principal,
    { id: kept.id, model, items: state.names(answer) },
    { input: state.asked(), answer },
  )
}

import type { Block, ChatRequest, Loss } from '@headgate/core/canonical'
import { addLosses, dropped } from '@headgate/core/canonical'
import { checkStrict } from '../../serve/losses.ts'
import type { ChatCall } from './chat-call.ts'
import { type ChatPlan, planFor } from './plan.ts'

const REASON = 'the provider accepts it only from the account that issued it'

function isReadable(block: Block, losses: Loss[]): boolean {
  if (block.type !== 'reasoning' || block.signature === undefined) return true
  dropped(losses, block.at ?? 'reasoning', REASON)
  return false
}

/** The block without the id of its item, which refers to the items of another account. */
function withoutRef(block: Block): Block {
  if (block.ref === undefined) return block
  const { ref: _, ...others } = block
  return others
}

/**
 * Plan of a candidate whose provider rejected the encrypted reasoning of the request, which another account issued: the
 * same plan without that reasoning, which is a loss. Undefined if the request has none, or if the gateway searches the
 * web for the request.
 * @throws HeadgateError if the caller forbids losses
 */
export function planWithoutReasoning(
  chat: ChatCall,
  { candidate, given, searching, drawing }: ChatPlan,
): ChatPlan | undefined {
  if (given.request || searching || drawing) return undefined
  const losses: Loss[] = []
  const { messages, ...others } = chat.canonical()
  const request: ChatRequest = {
    ...others,
    messages: messages.map((message) => ({
      ...message,
      blocks: message.blocks.filter((block) => isReadable(block, losses)).map(withoutRef),
    })),
  }
  if (losses.length === 0) return undefined
  const plan = planFor(chat, candidate, { ...given, request })
  addLosses(plan.losses, losses)
  checkStrict(chat.context, plan.losses, `Provider ${candidate.instance.name}`)
  return plan
}

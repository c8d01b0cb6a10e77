import type { Block, Node } from './block.ts'
import { changed, dropped, type Loss, under } from './loss.ts'
import type { Finish, FinishReason } from './response.ts'

/**
 * Types of blocks in a response. They correct the finish reason of servers that end tool calls or refusals like other
 * responses.
 */
export interface SeenBlocks {
  calls: boolean
  refusal: boolean
}

export function seenIn(blocks: readonly Block[]): SeenBlocks {
  return {
    calls: blocks.some((block) => block.type === 'tool-call'),
    refusal: blocks.some((block) => block.type === 'refusal'),
  }
}

/** Finish reason of a response without a specific one. */
export function endOf({ calls, refusal }: SeenBlocks): FinishReason {
  if (calls) return 'tool-calls'
  return refusal ? 'content-filter' : 'stop'
}

/** Declares losses of a finish, in a format without stop sequences and pauses. */
export function loseEnd(finish: Finish, node: Node, losses: Loss[]): void {
  if (finish.sequence !== undefined)
    dropped(losses, under(node, 'stop_sequence'), 'the format has no field for the stop sequence')
  if (finish.reason === 'pause')
    changed(losses, under(node, 'stop_reason'), 'the format has no pause, so the response ends')
}

/** Declares the loss of details, in a format that has them only for refusals. */
export function loseDetail(finish: Finish, node: Node, losses: Loss[]): void {
  if (finish.detail !== undefined && finish.reason !== 'content-filter')
    dropped(losses, under(node, 'stop_details'), 'the format has details only for refusals')
}

import type { Block, Node } from './block.ts'
import { changed, dropped, type Loss, under } from './loss.ts'
import type { Finish, FinishReason } from './response.ts'

/**
 * What an answer holds, by which its end is put right: some servers end calls like any other answer, and refusals as
 * well.
 */
export interface Seen {
  calls: boolean
  refusal: boolean
}

export function seenIn(blocks: readonly Block[]): Seen {
  return {
    calls: blocks.some((block) => block.type === 'tool-call'),
    refusal: blocks.some((block) => block.type === 'refusal'),
  }
}

/** Why an answer without another reason ended. */
export function endOf({ calls, refusal }: Seen): FinishReason {
  if (calls) return 'tool-calls'
  return refusal ? 'content-filter' : 'stop'
}

/** The losses of an end in a format that neither names the stop sequence nor knows a pause. */
export function loseEnd(finish: Finish, node: Node, losses: Loss[]): void {
  if (finish.sequence !== undefined) dropped(losses, under(node, 'stop_sequence'), 'the stop sequence is not told')
  if (finish.reason === 'pause') changed(losses, under(node, 'stop_reason'), 'a pause is told as an end')
}

/** The loss of what was said of an end, in a format that says it of refusals only. */
export function loseDetail(finish: Finish, node: Node, losses: Loss[]): void {
  if (finish.detail !== undefined && finish.reason !== 'content-filter')
    dropped(losses, under(node, 'stop_details'), 'only refusals are explained')
}

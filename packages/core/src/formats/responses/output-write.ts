import type { Block, HostedCallBlock, Signature } from '../../canonical/block.ts'
import type { SeenBlocks } from '../../canonical/finish.ts'
import type { Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Delta } from '../../canonical/part.ts'
import type { TokenLogprob } from '../../canonical/response.ts'
import { beginImage, failImage, writeCalls, writeOther } from './call-write.ts'
import { isForeignCode } from './hosted.ts'
import { createItems, type EventWriter } from './items.ts'
import { isSpoken, writeMessages } from './message-write.ts'
import { writeThoughts } from './thought-write.ts'

/** Writer of a response's blocks as output items, in sequence. */
export interface OutputWriter {
  start(block: Block): void
  add(delta: Delta): void
  stop(): void
  /** Begins the item of an image before its block. */
  beginImage(ref: string): void
  /** Ends the item of an image without a block. */
  failImage(): void
  logprobs(tokens: readonly TokenLogprob[]): void
  /**
   * Ends open items.
   * @param isCut true if the response is incomplete.
   * @param refusal reason for a refusal that the response does not contain.
   */
  end(isCut: boolean, refusal?: string): void
  /** Ended items. */
  readonly output: readonly Json[]
  /** Types of blocks so far. */
  readonly seen: SeenBlocks
}

export function writeOutput(reply: Reply, losses: Loss[], events: EventWriter): OutputWriter {
  const items = createItems(reply, events)
  const messages = writeMessages(items, losses)
  const thoughts = writeThoughts(items, losses)
  const calls = writeCalls(items, reply.request, losses)
  const seen: SeenBlocks = { calls: false, refusal: false }
  let block: Block | undefined
  /** Arguments of a hosted call so far. */
  let given = ''
  /** Executed code whose result may be the next block. */
  let ran: HostedCallBlock | undefined
  /** Id of the image whose item is open. */
  let image: string | undefined
  /** Signature of text, which follows it. */
  let signature: Signature | undefined

  /** Writes the waiting code, with its result if `next` is the result. */
  const release = (next?: Block): boolean => {
    const code = ran
    ran = undefined
    if (!code) return false
    const result = next?.type === 'hosted-result' && next.id === code.id && next.name === code.name ? next : undefined
    writeOther(items, code, losses, { result })
    return result !== undefined
  }

  const start = (next: Block): void => {
    if (next.type !== 'hosted-result') release()
    block = next
    given = next.type === 'hosted-call' ? next.arguments : ''
    signature = next.type === 'text' || next.type === 'media' ? next.signature : undefined
    if (isSpoken(next)) {
      if (next.type === 'refusal') seen.refusal = true
      messages.start(next)
      return
    }
    if (next.type === 'reasoning' || next.type === 'tool-call') messages.close()
    if (next.type === 'reasoning') thoughts.start(next)
    if (next.type !== 'tool-call') return
    seen.calls = true
    if (next.signature) thoughts.carry(next.signature)
    calls.start(next)
  }

  const add = (delta: Delta): void => {
    if (!block) return
    if (block.type === 'reasoning') thoughts.add(delta)
    else if (block.type === 'tool-call') calls.add(delta)
    else {
      if (delta.signature) signature = delta.signature
      if (delta.arguments !== undefined) given += delta.arguments
      if (isSpoken(block)) messages.add(delta)
    }
  }

  const stop = (): void => {
    const ended = block
    block = undefined
    if (!ended) return
    if (ended.type === 'reasoning') thoughts.stop()
    else if (ended.type === 'tool-call') calls.stop()
    else if (isSpoken(ended)) messages.stop()
    else {
      messages.close()
      if (release(ended)) return
      const whole = ended.type === 'hosted-call' ? { ...ended, arguments: given } : ended
      if (isForeignCode(whole)) ran = whole
      else {
        const isBegun = whole.type === 'media' && whole.ref !== undefined && whole.ref === image
        if (isBegun) image = undefined
        writeOther(items, whole, losses, { isBegun })
      }
    }
    if (!signature) return
    messages.close()
    thoughts.carry(signature)
    signature = undefined
  }

  const failOpenImage = (): void => {
    if (image !== undefined) failImage(items, image)
    image = undefined
  }

  return {
    start,
    add,
    stop,
    beginImage(ref) {
      stop()
      release()
      messages.close()
      image = ref
      beginImage(items, ref)
    },
    failImage: failOpenImage,
    logprobs: messages.logprobs,
    end(isCut, refusal) {
      stop()
      release()
      failOpenImage()
      if (refusal) messages.start({ type: 'refusal', text: refusal })
      messages.stop()
      messages.close(isCut)
    },
    output: items.output,
    seen,
  }
}

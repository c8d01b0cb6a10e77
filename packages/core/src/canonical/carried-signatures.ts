import type { Block, ReasoningBlock, Signature } from './block.ts'

/**
 * In formats that sign reasoning only, the signature of a call or a text that another vendor made came to the caller on
 * reasoning of its own without text: before the call that it belongs to, else after the text. Here it returns to its
 * block.
 *
 * @param native who signs the format's own reasoning, which may have no text
 */
export function returnSignatures(blocks: Block[], native: string): Block[] {
  const isCarrier = (block: Block): block is Carrier => isReasoning(block) && block.signature?.signer !== native
  if (!blocks.some(isCarrier)) return blocks
  const out: Block[] = []
  for (const [index, block] of blocks.entries()) {
    if (!isCarrier(block)) {
      const before = blocks[index - 1]
      out.push(
        block.type === 'tool-call' && before && isCarrier(before) ? { ...block, signature: before.signature } : block,
      )
      continue
    }
    if (blocks[index + 1]?.type === 'tool-call') continue
    const last = out.at(-1)
    if (last?.type === 'text') out[out.length - 1] = { ...last, signature: block.signature }
    else out.push(block)
  }
  return out
}

type Carrier = ReasoningBlock & { signature: Signature }

function isReasoning(block: Block): block is Carrier {
  return block.type === 'reasoning' && block.text === '' && !block.redacted && block.signature !== undefined
}

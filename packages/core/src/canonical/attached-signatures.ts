import type { Block, ReasoningBlock, Signature } from './block.ts'

/**
 * Returns signatures to their blocks. Formats that sign only reasoning deliver the signature of another vendor's call
 * or text in an empty reasoning block, before the call or after the text.
 * @param native signer of the format's own reasoning, which may be empty.
 */
export function returnSignatures(blocks: Block[], native: string): Block[] {
  const isCarrier = (block: Block): block is SignatureCarrier =>
    isReasoning(block) && block.signature?.signer !== native
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

type SignatureCarrier = ReasoningBlock & { signature: Signature }

function isReasoning(block: Block): block is SignatureCarrier {
  return block.type === 'reasoning' && block.text === '' && !block.redacted && block.signature !== undefined
}

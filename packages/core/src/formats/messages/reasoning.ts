import type { ReasoningBlock, Signature } from '../../canonical/block.ts'
import { seal, unseal } from '../../canonical/envelope.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import { verifiable } from '../../canonical/signature.ts'
import { SIGNER } from './wire.ts'
import type { MessagesWriteState } from './write-state.ts'

/** Reasoning block. Only its signer accepts it, and the vendor rejects reasoning without a signature. */
export function writeReasoning({ target, losses }: MessagesWriteState, block: ReasoningBlock): Json | undefined {
  if (!block.signature) {
    dropped(losses, block.at ?? 'reasoning', 'the provider accepts only signed reasoning')
    return undefined
  }
  const signature = verifiable(block.signature, target)
  if (signature) return signedReasoning(block, signature.value)
  dropped(losses, block.at ?? 'reasoning', 'only its signer accepts reasoning')
  return undefined
}

function signedReasoning(block: ReasoningBlock, signature: string): Json {
  if (block.redacted) return { type: 'redacted_thinking', data: signature }
  return { type: 'thinking', thinking: block.text, signature }
}

/** Reasoning of a response for a caller, with a sealed signature. */
export function writeSealedReasoning(block: ReasoningBlock, losses: Loss[]): Json | undefined {
  if (block.signature) return signedReasoning(block, sealed(block.signature))
  if (block.redacted) loseRedacted(block, losses)
  return block.redacted || block.text === '' ? undefined : signedReasoning(block, '')
}

export function loseRedacted(block: ReasoningBlock, losses: Loss[]): void {
  dropped(losses, block.at ?? 'reasoning', 'encrypted reasoning without its content')
}

/** Sealed signature for a caller. */
export function sealed(signature: Signature): string {
  return seal(signature, SIGNER)
}

/** Signature of a response's block, as a canonical field. */
export function signatureIn(value: unknown, signer: string | undefined): { signature?: Signature } {
  const signature = typeof value === 'string' ? unseal(value, signer) : undefined
  return signature ? { signature } : {}
}

/** Thinking block that carries a signature of another vendor to the caller and back. See `returnSignatures`. */
export function carrier(signature: string): Json {
  return { type: 'thinking', thinking: '', signature }
}

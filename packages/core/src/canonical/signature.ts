import type { Node, Signature } from './block.ts'
import { dropped, type Loss, under } from './loss.ts'
import type { Target } from './target.ts'
import type { WriteState } from './write-state.ts'

type SignedNode = Node & { signature?: Signature }

/** The signature, if the target can verify it. */
export function verifiable(signature: Signature | undefined, target: Target): Signature | undefined {
  return signature && signature.signer === target.signer ? signature : undefined
}

/**
 * Declares the loss of a node's signature.
 * @example loseSignature(block, losses)
 */
export function loseSignature(node: SignedNode, losses: Loss[]): void {
  if (node.signature) dropped(losses, under(node, 'signature'), 'only its signer can verify it')
}

/**
 * Value of a node's signature, if the target can verify it. Otherwise it is declared as lost.
 * @example const signature = sendSignature(block, { target, losses })
 */
export function sendSignature(
  node: SignedNode,
  { target, losses }: Pick<WriteState, 'target' | 'losses'>,
): string | undefined {
  const signature = verifiable(node.signature, target)
  if (!signature) loseSignature(node, losses)
  return signature?.value
}

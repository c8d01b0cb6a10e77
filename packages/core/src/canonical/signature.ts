import type { Node, Signature } from './block.ts'
import { dropped, type Loss, under } from './loss.ts'
import type { Target } from './target.ts'
import type { Writing } from './writing.ts'

type Signed = Node & { signature?: Signature }

/** The signature, if the target's model made it: nobody else can read it. */
export function verifiable(signature: Signature | undefined, target: Target): Signature | undefined {
  return signature && signature.signer === target.signer ? signature : undefined
}

/** Declares that a node's signature is not sent on. */
export function loseSignature(node: Signed, losses: Loss[]): void {
  if (node.signature) dropped(losses, under(node, 'signature'), 'only its signer can read it')
}

/** The value of a node's signature for who made it; to anyone else it is a loss. */
export function sendSignature(
  node: Signed,
  { target, losses }: Pick<Writing, 'target' | 'losses'>,
): string | undefined {
  const signature = verifiable(node.signature, target)
  if (!signature) loseSignature(node, losses)
  return signature?.value
}

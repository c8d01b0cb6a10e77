import type { Node, Side } from '../../chat/block.ts'
import { isObject, type Json } from '../../chat/json.ts'
import { type Loss, writeSide } from '../../chat/loss.ts'
import { FORMAT } from './wire.ts'

/** The side-channel of fields, or undefined when there are none. */
export function side(fields: Json | undefined): Side | undefined {
  return fields && { format: FORMAT, fields }
}

/**
 * The side-channel of a block that the canonical model can only paraphrase: the block as it came, under its own type. A writer
 * of this format sends it instead of the paraphrase, and to other formats it is one loss that names the type, or a reason to refuse
 * the request where the paraphrase is too poor.
 */
export function whole(block: Json, essential = false): Side {
  const type = String(block['type'])
  return { format: FORMAT, fields: { [type]: block }, ...(essential && { essential: [type] }) }
}

/** The block as it came, where `whole` kept it. */
export function original(node: Node): Json | undefined {
  if (node.side?.format !== FORMAT) return undefined
  for (const key in node.side.fields) {
    const value = node.side.fields[key]
    if (isObject(value) && value['type'] === key) return value
  }
  return undefined
}

/** Like `writeSide`, but objects that both have, such as `output_config`, are joined. */
export function mergeSide(node: Node, out: Json, losses: Loss[]): void {
  if (node.side?.format !== FORMAT) {
    writeSide(node, FORMAT, out, losses)
    return
  }
  for (const [key, value] of Object.entries(node.side.fields)) {
    const written = out[key]
    out[key] = isObject(written) && isObject(value) ? { ...written, ...value } : value
  }
}

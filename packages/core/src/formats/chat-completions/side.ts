import type { Node, Side } from '../../chat/block.ts'
import { isObject, type Json } from '../../chat/json.ts'
import { type Loss, writeSide } from '../../chat/loss.ts'
import { ID } from './wire.ts'

/**
 * Adds to `fields` what `object` has beside the `known` keys. Fields of an inner object have dotted keys: `image_url.size`.
 * Null says nothing, so it is not kept.
 */
export function extras(object: Json, known: ReadonlySet<string>, fields?: Json, prefix = ''): Json | undefined {
  let out = fields
  for (const key of Object.keys(object)) {
    const value = object[key]
    if (known.has(key) || value === undefined || value === null || key === '__proto__') continue
    out ??= {}
    out[prefix + key] = value
  }
  return out
}

export function sideOf(fields: Json): Side {
  return { format: ID, fields }
}

export function setSide(node: Node, fields: Json | undefined): void {
  if (fields) node.side = sideOf(fields)
}

/** Whether a node was read from this format. */
export function isOwn(node: Node): boolean {
  return node.side?.format === ID
}

export function isOwnSide(side: Side | undefined): side is Side {
  return side?.format === ID
}

/** Puts the fields of the node's own side-channel back where they were; another format's are losses. */
export function putSide(node: Node, out: Json, losses: Loss[]): void {
  if (!isOwnSide(node.side)) writeSide(node, ID, out, losses)
  else for (const [key, value] of Object.entries(node.side.fields)) put(out, key, value)
}

function put(out: Json, key: string, value: unknown): void {
  const dot = key.indexOf('.')
  const inner = dot === -1 ? undefined : out[key.slice(0, dot)]
  if (isObject(inner)) put(inner, key.slice(dot + 1), value)
  else out[key] = value
}

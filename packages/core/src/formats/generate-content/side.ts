import type { Node, Side } from '../../chat/block.ts'
import { isObject, type Json } from '../../chat/json.ts'
import { type Loss, writeSide } from '../../chat/loss.ts'
import { ID } from './wire.ts'

/**
 * The fields of `message` that are not `known`, for the side-channel of its node. Fields of a message within the node's own
 * have the path to them as key: `functionResponse.scheduling`.
 */
export function unknownFields(message: Json, known: ReadonlySet<string>, prefix = ''): Json | undefined {
  let fields: Json | undefined
  for (const key of Object.keys(message)) {
    if (known.has(key)) continue
    fields ??= {}
    put(fields, `${prefix}${key}`, message[key])
  }
  return fields
}

/** A side-channel of this format with all these fields, or undefined when there are none. */
export function sideOf(...groups: (Json | undefined)[]): Side | undefined {
  const given = groups.filter((group) => group !== undefined && Object.keys(group).length > 0)
  return given.length === 0 ? undefined : { format: ID, fields: Object.assign({}, ...given) as Json }
}

/** Marks a node as read from this format, for fields that only this format's own callers may send. */
export const OWN: Side = { format: ID, fields: {} }

export function isOwn(node: Node): boolean {
  return node.side?.format === ID
}

/** Puts the node's side-channel into the message that is written for it; that of another format is a loss. */
export function restoreSide(node: Node, out: Json, losses: Loss[]): void {
  const side = node.side
  if (!side) return
  if (side.format !== ID) {
    writeSide(node, ID, out, losses)
    return
  }
  for (const [path, value] of Object.entries(side.fields)) place(out, path, value)
}

function place(out: Json, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop() ?? path
  let message = out
  for (const key of keys) {
    const inner = Object.hasOwn(message, key) ? message[key] : undefined
    const next: Json = isObject(inner) ? inner : {}
    if (next !== inner) put(message, key, next)
    message = next
  }
  put(message, last, value)
}

/** Sets a field, whatever its name: assignment to `__proto__` would do something else. */
function put(message: Json, key: string, value: unknown): void {
  Object.defineProperty(message, key, { value, enumerable: true, writable: true, configurable: true })
}

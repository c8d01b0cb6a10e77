import { invalid } from '../errors.ts'
import type { Node, Side } from './block.ts'
import { isObject, type Json, put, text } from './json.ts'
import { dropped, type Loss, under } from './loss.ts'

/** What has a side-channel. */
type Owner = Pick<Node, 'side'>

/**
 * Adds to `fields` what `object` has beside the `known` keys. A field of an object within the node has the path to it
 * as key:
 * `image_url.size`. Null says nothing, so it is not kept.
 */
export function unknownFields(object: Json, known: ReadonlySet<string>, fields?: Json, prefix = ''): Json | undefined {
  let out = fields
  for (const key in object) {
    const value = object[key]
    if (known.has(key) || value === undefined || value === null) continue
    out ??= {}
    put(out, prefix + quoted(key), value)
  }
  return out
}

/** Marks a node as read from this format, for what only its own callers may send. */
export function ownSide(format: string, fields: Json = {}): Side {
  return { format, fields }
}

/** The side-channel of fields, or undefined when there are none. Of the `essential` ones those count that are there. */
export function sideOf(format: string, fields: Json | undefined, essential: readonly string[] = []): Side | undefined {
  if (!fields) return undefined
  const needed = essential.filter((key) => Object.hasOwn(fields, key))
  return needed.length > 0 ? { format, fields, essential: needed } : { format, fields }
}

/** The side-channel of what later fields say that the earlier ones did not; undefined when that is nothing. */
export function laterSide(format: string, earlier: Json | undefined, later: Json | undefined): Side | undefined {
  let out: Json | undefined
  for (const key in later) {
    const before = earlier && Object.hasOwn(earlier, key) ? earlier[key] : undefined
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(later[key])) continue
    out ??= {}
    put(out, key, later[key])
  }
  return sideOf(format, out)
}

/** Gives a node its side-channel, where there is anything for it. */
export function keepSide<N extends Owner>(node: N, format: string, fields: Json | undefined): N {
  if (fields) node.side = { format, fields }
  return node
}

/** Whether a node was read from this format, and marked so. */
export function isOwn(node: Owner, format: string): boolean {
  return node.side?.format === format
}

/** The side-channel of a node that was read from this format. */
export function ownFields(node: Owner, format: string): Json | undefined {
  return node.side?.format === format ? node.side.fields : undefined
}

/**
 * The side-channel of a block that the canonical model can only paraphrase: the block as it came, under its own type. A
 * writer of its format sends it instead of the paraphrase, and to other formats it is one loss that names the type, or
 * a reason to refuse the request where the paraphrase is too poor.
 */
export function wholeSide(format: string, block: Json, essential = false): Side {
  const type = text(block['type']) ?? ''
  return { format, fields: { [type]: block }, ...(essential && { essential: [type] }) }
}

/** The block as it came, where `wholeSide` kept it. */
export function original(node: Owner, format: string): Json | undefined {
  const fields = ownFields(node, format)
  for (const key in fields) {
    const value = fields[key]
    if (isObject(value) && value['type'] === key) return value
  }
  return undefined
}

/**
 * Puts the node's side-channel back into `out` when it belongs to `format`, each field where it was; otherwise every
 * field is a loss, except those that `isWritten` elsewhere.
 * @throws HeadgateError `invalid-request` when an essential field would be lost.
 */
export function writeSide(
  node: Node,
  format: string,
  out: Json,
  losses: Loss[],
  isWritten?: (key: string, value: unknown) => boolean,
): void {
  const { side } = node
  if (!side) return
  if (side.format === format) {
    const own = new Set<unknown>()
    for (const key in side.fields) place(out, key, side.fields[key], own)
    return
  }
  refuseForeign(node, format)
  for (const key in side.fields)
    if (!isWritten?.(key, side.fields[key])) dropped(losses, under(node, key), `${format} has no such field`)
}

/**
 * Refuses a node of another format that holds what it would be another request without. Of a whole request this is to
 * be said before anything else, as what it names may stand for what is missing.
 *
 * @throws HeadgateError `invalid-request` that names the field.
 */
export function refuseForeign(node: Node, format: string): void {
  const { side } = node
  const [essential] = side?.essential ?? []
  if (!side || side.format === format || essential === undefined) return
  const path = under(node, essential)
  throw invalid(
    path,
    `${path} can not be passed on to a provider of another format. Leave it out, or pin a provider that speaks ${side.format}.`,
  )
}

/** A key that would read as a path itself stands in quotes. */
export function quoted(key: string): string {
  return key.includes('.') || key.includes('[') ? `['${key}']` : key
}

function keysOf(path: string): string[] {
  const quote = path.indexOf("['")
  if (quote === -1) return path.split('.')
  return [...path.slice(0, quote).split('.').slice(0, -1), path.slice(quote + 2, -2)]
}

/**
 * Sets the field at a path. Objects that both sides have are joined; what is on the way is made, and copied before it
 * is changed, unless it is among those that were copied before (`own`).
 */
function place(out: Json, path: string, value: unknown, own: Set<unknown>): void {
  const plain = !path.includes('.') && !path.includes('[')
  const keys = plain ? [] : keysOf(path)
  const last = plain ? path : (keys.pop() ?? path)
  let target = out
  for (const key of keys) {
    const inner = Object.hasOwn(target, key) ? target[key] : undefined
    const next = isObject(inner) ? (own.has(inner) ? inner : { ...inner }) : {}
    own.add(next)
    put(target, key, next)
    target = next
  }
  const written = Object.hasOwn(target, last) ? target[last] : undefined
  put(target, last, isObject(written) && isObject(value) ? { ...written, ...value } : value)
}

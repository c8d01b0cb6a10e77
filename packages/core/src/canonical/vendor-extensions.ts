import { invalid } from '../errors.ts'
import type { Node, VendorExtensions } from './block.ts'
import { isObject, type Json, put, text } from './json.ts'
import { dropped, type Loss, under } from './loss.ts'

/** Node with vendor extensions. */
type ExtensionNode = Pick<Node, 'extensions'>

/**
 * Adds the fields of `object` that are not `known` to `fields`. A nested field has its path as key: `image_url.size`.
 * Null values are left out.
 * @example unknownFields(block, new Set(['type', 'text']))
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

/** Marks a node as read from this format, for nodes that only its callers can send. */
export function ownExtensions(format: string, fields: Json = {}): VendorExtensions {
  return { format, fields }
}

/** Vendor extensions with these fields. Undefined without fields. Only existing fields can be `essential`. */
export function extensionsOf(
  format: string,
  fields: Json | undefined,
  essential: readonly string[] = [],
): VendorExtensions | undefined {
  if (!fields) return undefined
  const needed = essential.filter((key) => Object.hasOwn(fields, key))
  return needed.length > 0 ? { format, fields, essential: needed } : { format, fields }
}

/** Vendor extensions with the fields that are new or changed in `later`. Undefined without changes. */
export function laterExtensions(
  format: string,
  earlier: Json | undefined,
  later: Json | undefined,
): VendorExtensions | undefined {
  let out: Json | undefined
  for (const key in later) {
    const before = earlier && Object.hasOwn(earlier, key) ? earlier[key] : undefined
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(later[key])) continue
    out ??= {}
    put(out, key, later[key])
  }
  return extensionsOf(format, out)
}

/** Sets the vendor extensions of a node, if there are fields. */
export function keepExtensions<N extends ExtensionNode>(node: N, format: string, fields: Json | undefined): N {
  if (fields) node.extensions = { format, fields }
  return node
}

/** True for a node that was read from this format and has vendor extensions. */
export function isOwn(node: ExtensionNode, format: string): boolean {
  return node.extensions?.format === format
}

/**
 * Vendor extensions of a node that was read from this format.
 * @example const { detail } = ownFields(block, 'messages') ?? {}
 */
export function ownFields(node: ExtensionNode, format: string): Json | undefined {
  return node.extensions?.format === format ? node.extensions.fields : undefined
}

/**
 * Vendor extensions for a block that the canonical model only approximates: the original block under its type. A writer
 * of the same format sends the original. For other formats it is one loss with the type, or the request is rejected if
 * the approximation is not sufficient.
 */
export function wholeExtensions(format: string, block: Json, essential = false): VendorExtensions {
  const type = text(block['type']) ?? ''
  return { format, fields: { [type]: block }, ...(essential && { essential: [type] }) }
}

/** Original block of `wholeExtensions`. */
export function original(node: ExtensionNode, format: string): Json | undefined {
  const fields = ownFields(node, format)
  for (const key in fields) {
    const value = fields[key]
    if (isObject(value) && value['type'] === key) return value
  }
  return undefined
}

/**
 * Writes the vendor extensions of a node. For their own format, each field returns to its path in `out`; otherwise each
 * field is declared as lost, except fields for which `isWritten` is true.
 * @throws HeadgateError of kind `invalid-request` if an essential field would be lost.
 * @example writeExtensions(block, 'acme', out, losses)
 */
export function writeExtensions(
  node: Node,
  format: string,
  out: Json,
  losses: Loss[],
  isWritten?: (key: string, value: unknown) => boolean,
): void {
  const { extensions } = node
  if (!extensions) return
  if (extensions.format === format) {
    const own = new Set<unknown>()
    for (const key in extensions.fields) place(out, key, extensions.fields[key], own)
    return
  }
  refuseForeign(node, format)
  for (const key in extensions.fields)
    if (!isWritten?.(key, extensions.fields[key])) dropped(losses, under(node, key), `${format} has no such field`)
}

/**
 * Rejects a node of another format with essential fields. Check a whole request first, since its references may explain
 * missing fields.
 * @throws HeadgateError of kind `invalid-request` with the field.
 */
export function refuseForeign(node: Node, format: string): void {
  const { extensions } = node
  const [essential] = extensions?.essential ?? []
  if (!extensions || extensions.format === format || essential === undefined) return
  const path = under(node, essential)
  throw invalid(
    path,
    `${path} is not supported by providers of another format. Remove it, or pin a provider with the format ${extensions.format}.`,
  )
}

/** Key of a path, in quotes if it contains path syntax. */
export function quoted(key: string): string {
  return key.includes('.') || key.includes('[') ? `['${key}']` : key
}

function keysOf(path: string): string[] {
  const quote = path.indexOf("['")
  if (quote === -1) return path.split('.')
  return [...path.slice(0, quote).split('.').slice(0, -1), path.slice(quote + 2, -2)]
}

/**
 * Sets the field at a path. Existing objects are merged. Objects on the path are created or copied, except earlier
 * copies (`own`).
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

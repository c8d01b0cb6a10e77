import { folded, isObject, type Json } from '@headgate/core/canonical'
import type { ChatSupport } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'

/**
 * Fields that can select another model than `model`: OpenRouter's, LiteLLM's, Vercel's, Anthropic's
 * (`fallbacks`, the model of an advisor tool) and Vertex AI's.
 */
export const ROUTING_FIELDS: readonly string[] = [
  'models',
  'route',
  'provider',
  'providerOptions',
  'plugins',
  'fallbacks',
  'context_window_fallbacks',
  'transforms',
  'preset',
  'tools[*].model',
  'tools[*].parameters.model',
  'generationConfig.routingConfig',
]

/** Tree of folded field names; `[*]` matches every entry of a list. A node without members is a field. */
interface FieldTree extends ReadonlyMap<string, FieldTree> {}

function fieldsOf(paths: readonly string[]): FieldTree {
  const top = new Map<string, FieldTree>()
  for (const path of paths) {
    let at = top
    for (const step of path.replaceAll('[*]', '.[*]').split('.')) {
      const known = at.get(folded(step)) ?? new Map<string, FieldTree>()
      at.set(folded(step), known)
      at = known as Map<string, FieldTree>
    }
  }
  return top
}

/** Parsed trees by list of paths. */
const known = new WeakMap<readonly string[], FieldTree>()

function fieldsFor(paths: readonly string[]): FieldTree {
  const fields = known.get(paths) ?? fieldsOf(paths)
  known.set(paths, fields)
  return fields
}

/** Path of the first field that a value contains; null counts as absent. */
function firstOf(fields: FieldTree, value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (fields.size === 0) return path
  if (Array.isArray(value)) {
    const inner = fields.get('[*]')
    if (!inner) return undefined
    for (const [index, item] of value.entries()) {
      const found = firstOf(inner, item, `${path}[${index}]`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  for (const [key, member] of Object.entries(value)) {
    const inner = fields.get(folded(key))
    const found = inner && firstOf(inner, member, path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The first routing field of a body; undefined = none. */
export function routingField(
  { routingFields = ROUTING_FIELDS }: Pick<ChatSupport, 'routingFields'>,
  body: Json,
): string | undefined {
  const twin = Object.keys(body).find((key) => key !== 'model' && folded(key) === 'model')
  return twin ?? firstOf(fieldsFor(routingFields), body, '')
}

/**
 * Rejects a body with routing fields, for keys with restricted models. `body` is the body that the upstream gets.
 * @throws HeadgateError `forbidden` that names the field.
 */
export function checkRouting(support: Pick<ChatSupport, 'routingFields'>, body: Json): void {
  const found = routingField(support, body)
  if (found === undefined) return
  throw new HeadgateError(
    'forbidden',
    `The field ${found} can select another model, but this key is restricted to certain models. Remove the field, or use a key without model restrictions.`,
    { param: found },
  )
}

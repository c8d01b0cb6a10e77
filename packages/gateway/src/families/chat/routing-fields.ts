import { folded, isObject, type Json } from '@headgate/core/canonical'
import type { ChatSupport } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'

/**
 * Fields by which routers, and vendors that route, are led to another model than `model`: those of OpenRouter, LiteLLM,
 * Vercel's gateway, Anthropic (`fallbacks`, the model of an advisor tool) and Vertex AI.
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

/** Members by their folded names; `[*]` stands for every entry of a list. A member without members is a field. */
interface Fields extends ReadonlyMap<string, Fields> {}

function fieldsOf(paths: readonly string[]): Fields {
  const top = new Map<string, Fields>()
  for (const path of paths) {
    let at = top
    for (const step of path.replaceAll('[*]', '.[*]').split('.')) {
      const known = at.get(folded(step)) ?? new Map<string, Fields>()
      at.set(folded(step), known)
      at = known as Map<string, Fields>
    }
  }
  return top
}

/** By list of paths, each of which is read once. */
const known = new WeakMap<readonly string[], Fields>()

function fieldsFor(paths: readonly string[]): Fields {
  const fields = known.get(paths) ?? fieldsOf(paths)
  known.set(paths, fields)
  return fields
}

/** The path of the first of the fields that a value has; null counts as absent. */
function firstOf(fields: Fields, value: unknown, path: string): string | undefined {
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

/** The first field of a body that leads the upstream to other models; undefined = there is none. */
export function routingField(
  { routingFields = ROUTING_FIELDS }: Pick<ChatSupport, 'routingFields'>,
  body: Json,
): string | undefined {
  const twin = Object.keys(body).find((key) => key !== 'model' && folded(key) === 'model')
  return twin ?? firstOf(fieldsFor(routingFields), body, '')
}

/**
 * Refuses a body that leads the upstream to other models, for a caller who may not use all. `body` is what the upstream
 * gets.
 * @throws HeadgateError `forbidden` that names the field.
 */
export function checkRouting(support: Pick<ChatSupport, 'routingFields'>, body: Json): void {
  const found = routingField(support, body)
  if (found === undefined) return
  throw new HeadgateError(
    'forbidden',
    `The field ${found} can lead to another model, and this key may not use every model. Leave it out, or use a key without that restriction.`,
    { param: found },
  )
}

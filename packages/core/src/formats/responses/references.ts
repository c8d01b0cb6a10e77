import type { References, Resolve } from '../../canonical/format.ts'
import { isObject, type Json, text } from '../../canonical/json.ts'
import { inputOf } from './turns-read.ts'
import { idsIn } from './watch.ts'

/** Fields that hold ids of what lies at a provider, alone or as a list. */
const IDS: ReadonlySet<string> = new Set(['file_id', 'file_ids', 'container_id', 'vector_store_ids'])
/** What is said of such things, and what a caller describes itself: schemas may have any names. */
const SAID: ReadonlySet<string> = new Set(['annotations', 'results', 'parameters', 'schema'])
/** Where a request can name something. */
const PLACES = ['input', 'tools', 'prompt', 'conversation'] as const

/** Items that stand for another by its id alone. */
function isReference(item: Json): boolean {
  const { type } = item
  return type === 'item_reference' || (type === 'image_generation_call' && (item['result'] ?? undefined) === undefined)
}

/**
 * What a request names that an earlier one has left.
 *
 * @see https://platform.openai.com/docs/guides/conversation-state
 */
export function references(body: Json): References {
  const ids = new Map<string, string>()
  const note: Note = (id, path) => {
    if (typeof id === 'string' && id !== '' && !ids.has(id)) ids.set(id, path)
  }
  const previous = text(body['previous_response_id'])
  note(previous, 'previous_response_id')
  note(body['conversation'], 'conversation')
  if (isObject(body['conversation'])) note(body['conversation']['id'], 'conversation.id')
  collect(body, note)
  return {
    ...(previous !== undefined && { previous }),
    keeps: body['store'] !== false,
    background: body['background'] === true,
    ids,
    resolved: (known) => resolved(body, known),
    names: idsIn,
    asked: (resolvedBody) => listOf(resolvedBody),
  }
}

/** Told of an id, with its path where that is known. */
type Note = (id: unknown, path: string) => void

/** Goes through all that can name something, however deep. Paths are made only where something is named: most requests name nothing. */
function collect(body: Json, note: Note): void {
  let isNamed = false
  walk(body, false, (id) => {
    isNamed ||= typeof id === 'string'
  })
  if (isNamed) walk(body, true, note)
}

function walk(body: Json, hasPaths: boolean, note: Note): void {
  const values: unknown[] = PLACES.map((key) => body[key])
  const paths: string[] = [...PLACES]
  const add = (value: unknown, path: string, step: string | number): void => {
    if (typeof value !== 'object' || value === null) return
    values.push(value)
    if (hasPaths) paths.push(typeof step === 'number' ? `${path}[${step}]` : `${path}.${step}`)
  }
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    const path = paths[at] ?? ''
    if (Array.isArray(value)) for (const [index, one] of value.entries()) add(one, path, index)
    else if (isObject(value)) {
      if (isReference(value)) note(value['id'], `${path}.id`)
      // Of a code interpreter: one that is there, by its id.
      if (typeof value['container'] === 'string') note(value['container'], `${path}.container`)
      for (const key in value) {
        const inner = value[key]
        if (IDS.has(key)) for (const id of Array.isArray(inner) ? inner : [inner]) note(id, `${path}.${key}`)
        else if (!SAID.has(key)) add(inner, path, key)
      }
    }
  }
}

/** The input as a list of items. */
function listOf(body: Json): readonly unknown[] {
  const input = inputOf(body) ?? []
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }] : input
}

/** Items that the vendor knows by ids of its own: another's are none of its. */
const OWN_IDS: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call'])

/** An item of an answer that lives here as a later request sends it. */
function sentBack(item: unknown): unknown {
  if (!isObject(item) || !OWN_IDS.has(item['type'])) return item
  const { id: _, ...rest } = item
  return rest
}

function resolved(body: Json, { before, item }: Resolve): Json {
  const { previous_response_id: previous, background: _, ...rest } = body
  const own = listOf(body).map((one) => {
    if (!isObject(one) || !isReference(one)) return one
    const found = item(text(one['id']) ?? '')
    return found === undefined ? one : sentBack(found)
  })
  if (!before) return { ...rest, ...(previous !== undefined && { previous_response_id: previous }), input: own }
  const output = Array.isArray(before.answer['output']) ? before.answer['output'] : []
  return { ...rest, input: [...before.input, ...output.map(sentBack), ...own] }
}

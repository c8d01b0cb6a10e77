import type { References, Resolve } from '../../canonical/format.ts'
import { isObject, type Json, text } from '../../canonical/json.ts'
import { isReference } from './stored.ts'
import { inputOf } from './turns-read.ts'
import { idsIn } from './usage-reader.ts'

/**
 * References of a request to earlier ones.
 * @see https://platform.openai.com/docs/guides/conversation-state
 */
export function references(body: Json): References {
  const previous = text(body['previous_response_id'])
  return {
    ...(previous !== undefined && { previous }),
    keeps: body['store'] !== false,
    background: body['background'] === true,
    resolved: (known) => resolved(body, known),
    names: idsIn,
    inputItems: (resolvedBody) => listOf(resolvedBody),
  }
}

/** Input as a list of items. */
function listOf(body: Json): readonly unknown[] {
  const input = inputOf(body) ?? []
  return typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
    : input
}

/** Types of items whose ids belong to a vendor and are unknown to others. */
const OWN_IDS: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call'])

/** Item of a stored response, as a later request sends it. */
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

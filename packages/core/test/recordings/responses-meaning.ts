import { isObject, type Json, number, objects, text } from '../../src/canonical/json.ts'
import { valuesOf } from './events.ts'
import { type Finish, inputOf, joined, type Meaning, type Piece, type Usage } from './meaning.ts'

/** What a whole response says. */
export function responsesMeaning(response: Json): Meaning {
  const pieces = objects(response['output']).flatMap(piecesOf)
  return {
    choices: [{ pieces: joined(pieces), finish: finishOf(response, pieces) }],
    usage: usageOf(response['usage']),
    failed: response['status'] === 'failed',
  }
}

/** What a stream of events says: the pieces of its items, and the end that its last event tells. */
export function responsesStreamMeaning(stream: string): Meaning {
  const items: Json[] = []
  let failed = true
  let response: Json = {}
  for (const event of valuesOf(stream).filter(isObject)) {
    const index = number(event['output_index']) ?? 0
    switch (event['type']) {
      case 'response.output_item.added':
        items[index] = streamed(event['item'])
        break
      case 'response.output_item.done':
        items[index] = isObject(event['item']) ? ended(event['item'], items[index]) : (items[index] ?? {})
        break
      case 'response.completed':
      case 'response.incomplete':
        failed = false
        response = isObject(event['response']) ? event['response'] : {}
        break
      case 'error':
      case 'response.failed':
        return { ...responsesMeaning({ output: items }), failed: true }
      default:
        items[index] = grown(items[index] ?? {}, event)
    }
  }
  const output = items.length > 0 ? items.filter(isObject) : response['output']
  return { ...responsesMeaning({ ...response, output }), failed }
}

function streamed(item: unknown): Json {
  return isObject(item) ? { ...item, content: [], summary: [] } : {}
}

/** The item as it ended; some recordings lack pieces of it. Where it holds nothing, the pieces that came. */
function ended(item: Json, before: Json = {}): Json {
  const lacks = (key: string): boolean => objects(item[key]).length === 0 && objects(before[key]).length > 0
  return {
    ...item,
    ...(lacks('content') && { content: before['content'] }),
    ...(lacks('summary') && { summary: before['summary'] }),
  }
}

const TEXTS: Readonly<Record<string, readonly [list: string, index: string, type: string, key: string]>> = {
  'response.output_text.delta': ['content', 'content_index', 'output_text', 'text'],
  'response.refusal.delta': ['content', 'content_index', 'refusal', 'refusal'],
  'response.reasoning_text.delta': ['content', 'content_index', 'reasoning_text', 'text'],
  'response.reasoning_summary_text.delta': ['summary', 'summary_index', 'summary_text', 'text'],
}

function grown(item: Json, event: Json): Json {
  const place = TEXTS[String(event['type'])]
  if (!place) return item
  const [list, index, type, key] = place
  const parts = Array.isArray(item[list]) ? [...(item[list] as Json[])] : []
  const at = number(event[index]) ?? 0
  const part = parts[at] ?? { type }
  parts[at] = { ...part, [key]: (text(part[key]) ?? '') + (text(event['delta']) ?? '') }
  const itemType = type === 'reasoning_text' || type === 'summary_text' ? 'reasoning' : 'message'
  return { type: itemType, ...item, [list]: parts }
}

/**
 * What the vendor's own tools did is no part of what the model says to the caller, but for the images that they made.
 */
function piecesOf(item: Json): Piece[] {
  switch (item['type']) {
    case 'message':
      return partsOf(item['content']).map(
        (part): Piece =>
          part['type'] === 'refusal'
            ? { kind: 'refusal', text: text(part['refusal']) ?? '' }
            : { kind: 'text', text: text(part['text']) ?? '' },
      )
    case 'reasoning':
      return [thought(item['summary'], '\n\n'), thought(item['content'], '')]
    case 'function_call':
      return [{ kind: 'call', name: nameOf(item), input: inputOf(text(item['arguments']) ?? '') }]
    case 'custom_tool_call':
      return [{ kind: 'call', name: nameOf(item), input: { input: text(item['input']) ?? '' } }]
    case 'image_generation_call':
      return text(item['result']) ? [{ kind: 'image', data: text(item['result']) ?? '' }] : []
    default:
      return []
  }
}

function partsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function thought(parts: unknown, between: string): Piece {
  const texts = partsOf(parts).map((part) => text(part['text']) ?? '')
  return { kind: 'reasoning', text: texts.join(between) }
}

function nameOf(item: Json): string {
  const name = text(item['name']) ?? ''
  const namespace = text(item['namespace'])
  return namespace && namespace !== name ? `${namespace}__${name}` : name
}

function finishOf(response: Json, pieces: readonly Piece[]): Finish {
  const details = response['incomplete_details']
  const why = isObject(details) ? details['reason'] : undefined
  if (why === 'max_output_tokens') return 'length'
  if (why === 'content_filter') return 'refused'
  if (pieces.some((piece) => piece.kind === 'call')) return 'tools'
  return pieces.some((piece) => piece.kind === 'refusal') ? 'refused' : 'stop'
}

/** Some count reasoning beside the rest of the output. */
function usageOf(value: unknown): Usage {
  const usage = isObject(value) ? value : {}
  const [input, output] = [usage['input_tokens_details'], usage['output_tokens_details']].map((details) =>
    isObject(details) ? details : {},
  )
  const [given, made] = [number(usage['input_tokens']) ?? 0, number(usage['output_tokens']) ?? 0]
  const reasoning = number(output?.['reasoning_tokens']) ?? 0
  const isApart = reasoning > 0 && number(usage['total_tokens']) === given + made + reasoning
  return {
    input: given,
    output: isApart ? made + reasoning : made,
    cacheRead: number(input?.['cached_tokens']) ?? 0,
    cacheWrite: number(input?.['cache_write_tokens']) ?? 0,
    reasoning,
  }
}

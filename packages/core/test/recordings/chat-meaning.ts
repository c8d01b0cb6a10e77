import { isObject, type Json, number, objects, text } from '../../src/canonical/json.ts'
import { valuesOf } from './events.ts'
import { type Choice, type Finish, inputOf, joined, type Meaning, type Piece, type Usage } from './meaning.ts'

/** What a whole chat completion says. */
export function chatMeaning(body: Json): Meaning {
  const choices = objects(body['choices'])
  return {
    choices: choices.map(({ message, finish_reason: finish }) =>
      choiceOf(isObject(message) ? message : {}, text(finish)),
    ),
    usage: usageOf(body['usage'] ?? choices[0]?.['usage']),
    failed: false,
  }
}

/** What a stream of chunks says. */
export function chatStreamMeaning(stream: string): Meaning {
  const choices = new Map<number, { message: Json; finish: string | undefined }>()
  let usage: unknown
  let failed = !stream.includes('data: [DONE]')
  for (const chunk of valuesOf(stream).filter(isObject)) {
    failed ||= isObject(chunk['error'])
    if (isObject(chunk['usage'])) usage = chunk['usage']
    for (const item of objects(chunk['choices'])) {
      if (isObject(item['usage'])) usage = item['usage']
      const index = number(item['index']) ?? 0
      const choice = choices.get(index) ?? { message: {}, finish: undefined }
      choices.set(index, choice)
      if (isObject(item['delta'])) add(choice.message, item['delta'])
      choice.finish = text(item['finish_reason']) || choice.finish
      if (choice.finish) failed = false
    }
  }
  const ordered = [...choices].sort(([a], [b]) => a - b)
  return { choices: ordered.map(([, { message, finish }]) => choiceOf(message, finish)), usage: usageOf(usage), failed }
}

const GROWING = ['refusal', 'reasoning', 'reasoning_content'] as const
const LISTS = ['images', 'reasoning_details', 'thinking_blocks'] as const

/** Adds a delta to a message. */
function add(message: Json, delta: Json): void {
  for (const key of GROWING) {
    const more = text(delta[key])
    if (more) message[key] = (text(message[key]) ?? '') + more
  }
  for (const key of LISTS) if (Array.isArray(delta[key])) message[key] = [...objects(message[key]), ...delta[key]]
  const parts = partsOf(delta['content'])
  if (parts.length > 0) message['content'] = [...objects(message['content']), ...parts]
  const calls = objects(message['tool_calls'])
  for (const fragment of objects(delta['tool_calls'])) addFragment(calls, fragment)
  if (calls.length > 0) message['tool_calls'] = calls
  if (isObject(delta['function_call'])) {
    const before = isObject(message['function_call']) ? message['function_call'] : {}
    message['function_call'] = grown(before, delta['function_call'])
  }
}

/** A fragment belongs to the call of its index, unless it brings a new id. */
function addFragment(calls: Json[], fragment: Json): void {
  const id = text(fragment['id'])
  const same = calls.findLast((call) => call['index'] === fragment['index'])
  const known = same && (!id || !same['id'] || same['id'] === id) ? same : undefined
  const kind = isObject(fragment['custom']) ? 'custom' : 'function'
  const inner = isObject(fragment[kind]) ? fragment[kind] : {}
  if (!known) {
    calls.push({ index: fragment['index'], id, [kind]: grown({}, inner) })
    return
  }
  known[kind] = grown(isObject(known[kind]) ? known[kind] : {}, inner)
}

function grown(before: Json, more: Json): Json {
  const out: Json = { ...before }
  if (text(more['name'])) out['name'] = more['name']
  for (const key of ['arguments', 'input']) {
    const value = more[key]
    if (typeof value === 'string') out[key] = (text(out[key]) ?? '') + value
    else if (isObject(value)) out[key] = JSON.stringify(value)
  }
  return out
}

function partsOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
}

function choiceOf(message: Json, finish: string | undefined): Choice {
  const parts = partsOf(message['content'])
  const pieces: Piece[] = [
    { kind: 'reasoning', text: reasoningOf(message) },
    ...parts.flatMap(pieceOf),
    { kind: 'refusal', text: text(message['refusal']) ?? '' },
    ...objects(message['images']).flatMap(imageOf),
    ...objects(message['tool_calls']).flatMap(callOf),
    ...callOf({ function: message['function_call'] }),
  ]
  const calls = pieces.some((piece) => piece.kind === 'call')
  return { pieces: joined(pieces), finish: finishOf(finish, calls, Boolean(text(message['refusal']))) }
}

/** Reasoning has no field of the vendor's own; servers that show it use one of these, and some several at once. */
function reasoningOf(message: Json): string {
  const plain = text(message['reasoning_content']) || text(message['reasoning'])
  if (plain) return plain
  const details = [...objects(message['thinking_blocks']), ...objects(message['reasoning_details'])]
  return details
    .map((detail) => text(detail['thinking']) ?? text(detail['text']) ?? text(detail['summary']) ?? '')
    .join('')
}

function pieceOf(part: Json): Piece[] {
  if (part['type'] === 'image_url') return imageOf(part)
  if (part['type'] !== 'thinking') return [{ kind: 'text', text: text(part['text']) ?? '' }]
  const thought = partsOf(part['thinking']).map((item) => text(item['text']) ?? '')
  return [{ kind: 'reasoning', text: thought.join('') }]
}

function imageOf(image: Json): Piece[] {
  const url = isObject(image['image_url']) ? text(image['image_url']['url']) : undefined
  return url === undefined ? [] : [{ kind: 'image', data: url.replace(/^data:[^,]*,/, '') }]
}

/** A call needs a name; a server that fills every field leaves those empty that it does not mean. */
function callOf(call: Json): Piece[] {
  const called = isObject(call['function']) ? call['function'] : {}
  const custom = isObject(call['custom']) ? call['custom'] : {}
  if (called['name']) {
    const args = called['arguments']
    return [{ kind: 'call', name: String(called['name']), input: isObject(args) ? args : inputOf(text(args) ?? '') }]
  }
  return custom['name'] ? [{ kind: 'call', name: String(custom['name']), input: { input: custom['input'] } }] : []
}

/** Servers end answers with calls in other words as well; a refusal is one, whatever it ends with. */
function finishOf(word: string | undefined, calls: boolean, refused: boolean): Finish {
  if (word === 'length') return 'length'
  if (word === 'content_filter') return 'refused'
  if (calls) return 'tools'
  return refused ? 'refused' : 'stop'
}

function usageOf(value: unknown): Usage {
  const usage = isObject(value) ? value : {}
  const input = detailsOf(usage, 'prompt')
  const output = detailsOf(usage, 'completion')
  const prompt = number(usage['prompt_tokens']) ?? 0
  const completion = number(usage['completion_tokens']) ?? 0
  const reasoning = number(output['reasoning_tokens']) ?? 0
  const cached = [
    input['cached_tokens'],
    usage['cached_tokens'],
    usage['prompt_cache_hit_tokens'],
    usage['num_cached_tokens'],
  ]
  const isApart = number(usage['total_tokens']) === prompt + completion + reasoning
  return {
    input: prompt,
    output: isApart ? completion + reasoning : completion,
    cacheRead: cached.map(number).find((count) => count !== undefined) ?? 0,
    cacheWrite: number(input['cache_write_tokens']) ?? 0,
    reasoning,
  }
}

function detailsOf(usage: Json, extensions: 'prompt' | 'completion'): Json {
  return [usage[`${extensions}_tokens_details`], usage[`${extensions}_token_details`]].find(isObject) ?? {}
}

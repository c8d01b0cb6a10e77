import { isObject, type Json, number, objects, text } from '../../src/canonical/json.ts'
import { valuesOf } from './events.ts'
import { type Finish, inputOf, joined, type Meaning, type Piece, type Usage } from './meaning.ts'

/** What a whole message says. */
export function messagesMeaning(message: Json): Meaning {
  const details = message['stop_details']
  const reason = isObject(details) ? (text(details['explanation']) ?? '') : ''
  const pieces: Piece[] = [...objects(message['content']).flatMap(pieceOf), { kind: 'reason', text: reason }]
  const finish = finishOf(text(message['stop_reason']), pieces.some(isCall))
  return { choices: [{ pieces: joined(pieces), finish }], usage: usageOf(message['usage']), failed: false }
}

/** What a stream of events says: the message that they build. */
export function messagesStreamMeaning(stream: string): Meaning {
  const message: Json = {}
  const content: Json[] = []
  let failed = true
  for (const event of valuesOf(stream).filter(isObject)) {
    const index = number(event['index']) ?? 0
    switch (event['type']) {
      case 'message_start':
        Object.assign(message, event['message'])
        content.push(...objects(message['content']))
        break
      case 'content_block_start':
        content[index] = { ...(isObject(event['content_block']) ? event['content_block'] : {}) }
        break
      case 'content_block_delta':
        if (content[index] && isObject(event['delta'])) add(content[index], event['delta'])
        break
      case 'message_delta':
        Object.assign(message, event['delta'])
        message['usage'] = { ...asObject(message['usage']), ...told(event['usage']) }
        break
      case 'message_stop':
        failed = false
        break
      case 'error':
        return { ...messagesMeaning({ ...message, content }), failed: true }
    }
  }
  return { ...messagesMeaning({ ...message, content }), failed }
}

function asObject(value: unknown): Json {
  return isObject(value) ? value : {}
}

/** Counts are totals: what is not null replaces what was said before. */
function told(usage: unknown): Json {
  return Object.fromEntries(Object.entries(asObject(usage)).filter(([, value]) => value !== null))
}

function add(block: Json, delta: Json): void {
  for (const [from, to] of [
    ['text', 'text'],
    ['thinking', 'thinking'],
    ['partial_json', 'json'],
  ] as const) {
    const more = text(delta[from])
    if (more !== undefined) block[to] = (text(block[to]) ?? '') + more
  }
}

function isCall(piece: Piece): boolean {
  return piece.kind === 'call'
}

/** What the vendor's own tools did is no part of what the model says to the caller. */
function pieceOf(block: Json): Piece[] {
  switch (block['type']) {
    case 'text':
      return [{ kind: 'text', text: text(block['text']) ?? '' }]
    case 'thinking':
      return [{ kind: 'reasoning', text: text(block['thinking']) ?? '' }]
    case 'tool_use': {
      const streamed = text(block['json'])
      const input = streamed ? inputOf(streamed) : (block['input'] ?? {})
      return [{ kind: 'call', name: text(block['name']) ?? '', input }]
    }
    default:
      return []
  }
}

function finishOf(word: string | undefined, calls: boolean): Finish {
  if (word === 'max_tokens' || word === 'model_context_window_exceeded') return 'length'
  if (word === 'refusal') return 'refused'
  return calls ? 'tools' : 'stop'
}

/**
 * Cached tokens stand beside `input_tokens`; of several runs of the model the top level leaves those out that
 * compacted.
 */
function usageOf(value: unknown): Usage {
  const usage = asObject(value)
  const runs = objects(usage['iterations']).filter((run) => run['type'] === 'message' || run['type'] === 'compaction')
  const fallback = objects(usage['iterations']).some((run) => run['type'] === 'fallback_message')
  const counted = runs.length > 0 && !fallback ? runs : [usage]
  const sum = (key: string): number => counted.reduce((total, run) => total + (number(run[key]) ?? 0), 0)
  const cacheRead = number(usage['cache_read_input_tokens']) ?? 0
  const cacheWrite = number(usage['cache_creation_input_tokens']) ?? 0
  return {
    input: sum('input_tokens') + cacheRead + cacheWrite,
    output: sum('output_tokens'),
    cacheRead,
    cacheWrite,
    reasoning: number(asObject(usage['output_tokens_details'])['thinking_tokens']) ?? 0,
  }
}

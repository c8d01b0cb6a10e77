import { isRecord, listOf, messageOf, parsed, textOf } from '../wire/call.ts'
import { type ChatReply, MAX_CALLS, NO_RESPONSE, numberOf } from './completion.ts'
import type { ToolCall } from './conversation.ts'

type ResponseJson = Readonly<Record<string, unknown>>

const PIECES: ReadonlyMap<string, 'text' | 'reasoning'> = new Map([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'text'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.reasoning_text.delta', 'reasoning'],
])

/** Adds an event of a responses stream to a response. Unknown events are ignored. */
export function withResponseEvent(answer: ChatReply, data: string): ChatReply {
  const event = parsed(data)
  if (!isRecord(event)) return answer
  const type = textOf(event['type'])
  const field = PIECES.get(type)
  if (field !== undefined) return { ...answer, [field]: answer[field] + textOf(event['delta']) }
  if (type === 'error')
    return { ...answer, error: textOf(event['message']) || messageOf(event) || 'The provider returned an error.' }
  if (type === 'response.output_item.added') return withCall(answer, event['item'])
  if (type === 'response.output_item.done') return withItem(answer, event['item'])
  if (type === 'response.function_call_arguments.delta') return withArguments(answer, textOf(event['delta']))
  return isRecord(event['response']) && END.has(type) ? closed(answer, event['response']) : answer
}

const END: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** Parses a response of the responses format that is not streamed. */
export function readResponse(text: string): ChatReply {
  const body = parsed(text)
  if (!isRecord(body) || !Array.isArray(body['output']))
    return { ...NO_RESPONSE, error: 'The response is not a chat response.' }
  return closed(
    body['output'].reduce<ChatReply>((answer, item) => withItem(withTexts(answer, item), item), NO_RESPONSE),
    body,
  )
}

/** Adds the text of a complete item. */
function withTexts(answer: ChatReply, item: unknown): ChatReply {
  if (!isRecord(item)) return answer
  const field = item['type'] === 'message' ? 'text' : item['type'] === 'reasoning' ? 'reasoning' : undefined
  if (!field) return answer
  const parts = [...listOf(item['summary']), ...listOf(item['content'])].filter(isRecord)
  return {
    ...answer,
    [field]: answer[field] + parts.map((part) => textOf(part['text']) + textOf(part['refusal'])).join(''),
  }
}

/** Adds a complete item: reasoning or a tool call. */
function withItem(answer: ChatReply, item: unknown): ChatReply {
  if (!isRecord(item)) return answer
  return item['type'] === 'reasoning' ? { ...answer, items: [...answer.items, item] } : withCall(answer, item)
}

function withCall(answer: ChatReply, item: unknown): ChatReply {
  if (!isRecord(item) || item['type'] !== 'function_call') return answer
  const call: ToolCall = {
    id: textOf(item['call_id']),
    name: textOf(item['name']),
    arguments: textOf(item['arguments']),
  }
  const at = answer.calls.findIndex(({ id }) => id === call.id)
  if (at >= 0) return { ...answer, calls: answer.calls.with(at, call) }
  return answer.calls.length < MAX_CALLS ? { ...answer, calls: [...answer.calls, call] } : answer
}

/** Adds arguments to the last call, because items arrive one after the other. */
function withArguments(answer: ChatReply, piece: string): ChatReply {
  const last = answer.calls.at(-1)
  return last ? { ...answer, calls: answer.calls.with(-1, { ...last, arguments: last.arguments + piece }) } : answer
}

function closed(answer: ChatReply, response: ResponseJson): ChatReply {
  const { usage, incomplete_details: details, error } = response
  const reason = isRecord(details) ? textOf(details['reason']) : ''
  const failed = isRecord(error) ? textOf(error['message']) : ''
  return {
    ...answer,
    finish: reason === 'max_output_tokens' ? 'length' : reason || textOf(response['status']),
    error: failed || answer.error,
    usage: isRecord(usage)
      ? { input: numberOf(usage['input_tokens']), output: numberOf(usage['output_tokens']) }
      : answer.usage,
  }
}

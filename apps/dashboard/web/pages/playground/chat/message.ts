import { isRecord, messageOf, parsed, textOf } from '../wire/call.ts'
import { type ChatReply, MAX_CALLS, NO_RESPONSE, numberOf } from './completion.ts'

type MessageJson = Readonly<Record<string, unknown>>

/** Reasons of the messages format in the terms of the page. */
const FINISHES: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'length'],
  ['refusal', 'content_filter'],
])

/** Adds an event of a messages stream to a response. Unknown events are ignored. */
export function withMessageEvent(answer: ChatReply, data: string): ChatReply {
  const event = parsed(data)
  if (!isRecord(event)) return answer
  switch (event['type']) {
    case 'message_start':
      return isRecord(event['message']) ? withUsage(answer, event['message']['usage']) : answer
    case 'content_block_start':
      return withBlock(answer, event['content_block'])
    case 'content_block_delta':
      return isRecord(event['delta']) ? withDelta(answer, event['delta']) : answer
    case 'message_delta':
      return closed(answer, isRecord(event['delta']) ? event['delta'] : {}, event['usage'])
    case 'error':
      return { ...answer, error: messageOf(event) ?? 'The provider returned an error.' }
    default:
      return answer
  }
}

/** Parses a response of the messages format that is not streamed. */
export function readMessage(text: string): ChatReply {
  const body = parsed(text)
  if (!isRecord(body) || !Array.isArray(body['content']))
    return { ...NO_RESPONSE, error: 'The response is not a message.' }
  return closed(body['content'].reduce<ChatReply>(withBlock, NO_RESPONSE), body, body['usage'])
}

/** Adds a block: complete, or the start of a streamed one. */
function withBlock(answer: ChatReply, block: unknown): ChatReply {
  if (!isRecord(block)) return answer
  switch (block['type']) {
    case 'text':
      return { ...answer, text: answer.text + textOf(block['text']) }
    case 'thinking':
      return {
        ...answer,
        reasoning: answer.reasoning + textOf(block['thinking']),
        thoughts: [...answer.thoughts, block],
      }
    case 'redacted_thinking':
      return { ...answer, thoughts: [...answer.thoughts, block] }
    case 'tool_use': {
      if (answer.calls.length >= MAX_CALLS) return answer
      // A streamed block begins with an empty object, and its arguments follow.
      const input = isRecord(block['input']) && Object.keys(block['input']).length > 0 ? block['input'] : undefined
      const call = {
        id: textOf(block['id']),
        name: textOf(block['name']),
        arguments: input ? JSON.stringify(input) : '',
      }
      return { ...answer, calls: [...answer.calls, call] }
    }
    default:
      return answer
  }
}

/** Adds a delta to the newest block, because blocks arrive one after the other. */
function withDelta(answer: ChatReply, delta: MessageJson): ChatReply {
  switch (delta['type']) {
    case 'text_delta':
      return { ...answer, text: answer.text + textOf(delta['text']) }
    case 'thinking_delta':
      return {
        ...answer,
        reasoning: answer.reasoning + textOf(delta['thinking']),
        thoughts: withThought(answer, 'thinking', textOf(delta['thinking'])),
      }
    case 'signature_delta':
      return { ...answer, thoughts: withThought(answer, 'signature', textOf(delta['signature'])) }
    case 'input_json_delta': {
      const last = answer.calls.at(-1)
      if (!last) return answer
      const call = { ...last, arguments: last.arguments + textOf(delta['partial_json']) }
      return { ...answer, calls: answer.calls.with(-1, call) }
    }
    default:
      return answer
  }
}

function withThought({ thoughts }: ChatReply, field: 'thinking' | 'signature', piece: string): readonly unknown[] {
  const last = thoughts.at(-1)
  return isRecord(last) ? thoughts.with(-1, { ...last, [field]: textOf(last[field]) + piece }) : thoughts
}

function closed(answer: ChatReply, end: MessageJson, usage: unknown): ChatReply {
  const reason = textOf(end['stop_reason'])
  return withUsage({ ...answer, finish: FINISHES.get(reason) ?? (reason || answer.finish) }, usage)
}

/** Cached input is counted separately in this format. */
function withUsage(answer: ChatReply, usage: unknown): ChatReply {
  if (!isRecord(usage)) return answer
  const input =
    numberOf(usage['input_tokens']) +
    numberOf(usage['cache_read_input_tokens']) +
    numberOf(usage['cache_creation_input_tokens'])
  return { ...answer, usage: { input: input || (answer.usage?.input ?? 0), output: numberOf(usage['output_tokens']) } }
}

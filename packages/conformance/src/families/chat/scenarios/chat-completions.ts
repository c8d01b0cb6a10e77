import type { Json } from '@headgate/core/provider'
import type { ScenarioResponse } from './scenario.ts'
import { type Count, CREATED, REPORTED_MODEL } from './tokens.ts'

const ID = 'chatcmpl-B1fixture'

/** Content of a completion: the message, and the deltas of its stream. */
interface ScriptedCompletion {
  readonly message: Json
  readonly deltas: readonly Json[]
  readonly finish: 'stop' | 'length' | 'tool_calls'
  readonly count: Count
  readonly id?: string
}

/** Completion of OpenAI, from https://platform.openai.com/docs/api-reference/chat/object and …/chat-streaming. */
export function completion({ message, deltas, finish, count, id = ID }: ScriptedCompletion): ScenarioResponse {
  const head = { id, created: CREATED, model: REPORTED_MODEL, service_tier: 'default' }
  const chunk = (delta: Json, finish_reason: string | null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  })
  const frames = [
    chunk({ role: 'assistant', content: message['content'] === null ? null : '', refusal: null }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish),
    { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(count) },
  ]
  return {
    body: {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', refusal: null, annotations: [], ...message },
          logprobs: null,
          finish_reason: finish,
        },
      ],
      usage: usageOf(count),
    },
    stream: [...frames.map((frame) => JSON.stringify(frame)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  }
}

function usageOf({ input, output, cacheRead = 0, reasoning = 0 }: Count): Json {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Text completion in pieces. */
export function completionOfText(
  pieces: readonly string[],
  count: Count,
  finish: 'stop' | 'length' = 'stop',
): ScenarioResponse {
  return completion({
    message: { content: pieces.join('') },
    deltas: pieces.map((content) => ({ content })),
    finish,
    count,
  })
}

/** Tool call of a message. */
export function toolCall(id: string, name: string, args: string): Json {
  return { id, type: 'function', function: { name, arguments: args } }
}

/** First fragment of a call, followed by one with its arguments. */
export function callStart(index: number, id: string, name: string): Json {
  return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }
}

export function callPiece(index: number, piece: string): Json {
  return { tool_calls: [{ index, function: { arguments: piece } }] }
}

import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider } from './gateway.ts'

/**
 * Answers and streams in the responses format, written from its documentation.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */

export const RESPONSES = '/v1/responses'

export const responsesRequest = { model: 'small', input: 'Hello' }

const message = (text: string): Record<string, unknown> => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})

export const responsesUsage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
}

export function responsesAnswer(text = 'Hi there', changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_750_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'small-2026-01-01',
    output: [message(text)],
    usage: responsesUsage,
    ...changes,
  }
}

/** The frames of a stream of responses. `end`: fields of the whole answer. */
export function responsesFrames(
  words: readonly string[] = ['Hi', ' there'],
  end: Record<string, unknown> = {},
): string[] {
  const text = words.join('')
  const begun = responsesAnswer('', {
    status: 'in_progress',
    output: [],
    usage: null,
    ...(end['id'] !== undefined && { id: end['id'] }),
  })
  const at = { item_id: 'msg_1', output_index: 0 }
  const within = { ...at, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const events: [string, Record<string, unknown>][] = [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ['response.output_item.added', { output_index: 0, item: { ...message(''), status: 'in_progress', content: [] } }],
    ['response.content_part.added', { ...within, part }],
    ...words.map((delta): [string, Record<string, unknown>] => [
      'response.output_text.delta',
      { ...within, delta, logprobs: [] },
    ]),
    ['response.output_text.done', { ...within, text, logprobs: [] }],
    ['response.content_part.done', { ...within, part: { ...part, text } }],
    ['response.output_item.done', { output_index: 0, item: message(text) }],
    ['response.completed', { response: responsesAnswer(text, end) }],
  ]
  return events.map(
    ([type, fields], index) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: index, ...fields })}\n\n`,
  )
}

/** The type of each event of a stream. */
export function typesOf(stream: string): string[] {
  return [...stream.matchAll(/^event: (.+)$/gm)].map(([, type]) => type ?? '')
}

/** A provider that speaks responses, and nothing else, at a base URL. */
export function responsesProvider(baseUrl: string, changes: Partial<ProviderInstance> = {}): ProviderInstance {
  return chatProvider(baseUrl, { chat: [{ format: 'responses', path: () => '/responses', signer: 'gpt' }], ...changes })
}

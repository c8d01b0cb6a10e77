import type { ChatRequest, ChatResponse, Codec, Json, Loss, StreamReader } from '../../../src/codec.ts'
import { dropped, errorReader, object, objects, text } from '../../../src/codec.ts'

function itemsOf({ messages }: ChatRequest, losses: Loss[]): Json[] {
  return messages.flatMap(({ role, blocks }) =>
    blocks.flatMap((block): Json[] => {
      if (block.type === 'text') return [{ role, content: block.text }]
      if (block.type === 'tool-call')
        return [{ type: 'function_call', call_id: block.id, name: block.name, arguments: block.arguments }]
      dropped(losses, block.at, 'not in this sketch')
      return []
    }),
  )
}

/**
 * The half of the Responses API that faces an upstream: a codec says all of it. What callers need beyond, an answer
 * that has a home (`previous_response_id`, GET, DELETE, cancel) and an `input` that may be a text, is the format's, and
 * is not in the contract.
 */
export const responses: Codec = {
  id: 'responses',
  urls: { takes: () => true },
  writeRequest: (request, { model }, losses) => ({
    body: {
      model,
      input: itemsOf(request, losses),
      max_output_tokens: request.maxTokens,
      stream: request.stream,
      store: false,
    },
  }),
  readResponse({ id, model, output, status }): ChatResponse {
    const blocks = objects(output).flatMap(({ content }) =>
      objects(content).map((one) => ({ type: 'text' as const, text: text(one['text']) ?? '' })),
    )
    const reason = status === 'incomplete' ? 'length' : 'stop'
    return { id: String(id), model: String(model), choices: [{ blocks, finish: { reason, raw: String(status) } }] }
  },
  readStream(): StreamReader {
    return {
      push: ({ event, data }) =>
        event === 'response.output_text.delta' ? [{ type: 'block-delta', index: 0, delta: { text: data } }] : [],
      end: () => [],
    }
  },
  readError: (status, body) => errorReader({ codes: [] })(status, object(body)?.['error'] ?? body),
}

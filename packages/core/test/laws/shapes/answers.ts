import type { Json } from '../../../src/canonical/json.ts'
import { keys, list, PNG, type Shape, TEXTS } from './pieces.ts'
import { RESPONSES_ANSWERS, RESPONSES_STREAMS } from './responses.ts'

/** The payloads of a stream of one shape, of any size. */
export type StreamShape = (size: number) => readonly Json[]

const words = (size: number): string => (TEXTS['characters of several bytes'] ?? String)(size)

const chat = (message: Json, more: Json = {}): Json => ({
  id: 'a',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  ...more,
})
const annotation = (index: number, spans = true): Json => ({
  type: 'url_citation',
  url_citation: { url: `https://x.test/${index}`, ...(spans && { start_index: index, end_index: index + 3 }) },
})
const call = (index: number, args = '{}'): Json => ({
  id: `c${index}`,
  index,
  type: 'function',
  function: { name: 'f', arguments: args },
})
const details = (n: number): Json[] =>
  list(n, () => ({ type: 'reasoning.text', text: 'x', signature: 'a', format: 'google-gemini-v1', index: 0 }))

const claude = (content: readonly Json[], more: Json = {}): Json => ({
  id: 'a',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
})
const found = (index: number): Json => ({
  type: 'web_search_result_location',
  url: `https://x.test/${index}`,
  cited_text: 'x',
  title: 'x',
})

const gemini = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP', ...more }],
})
const chunks = (n: number): Json[] => list(n, (i) => ({ web: { uri: `https://x.test/${i}`, title: 'x' } }))
const support = (segment: Json, index: number): Json => ({ segment, groundingChunkIndices: [index] })

/** Whole answers, by format and by what they are full of. */
export const ANSWERS: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  'chat-completions': {
    text: (n) => chat({ content: words(n) }),
    'parts of content': (n) => chat({ content: list(n, () => ({ type: 'text', text: 'x' })) }),
    calls: (n) => chat({ tool_calls: list(n, (i) => call(i)) }),
    images: (n) =>
      chat({
        content: 'x',
        images: list(n, () => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } })),
      }),
    citations: (n) => chat({ content: words(n), annotations: list(n, (i) => annotation(i)) }),
    'citations without a place': (n) => chat({ content: words(n), annotations: list(n, (i) => annotation(i, false)) }),
    'signed thoughts': (n) =>
      chat({ content: 'x', thinking_blocks: list(n, () => ({ type: 'thinking', thinking: 'x', signature: 'a' })) }),
    'details of thoughts': (n) => chat({ content: 'x', reasoning_details: details(n) }),
    'unknown fields': (n) => chat({ content: 'x', ...keys(n) }, keys(n)),
    choices: (n) => ({
      id: 'a',
      choices: list(n, (index) => ({ index, message: { content: 'x' }, finish_reason: 'stop' })),
    }),
    'likelihoods of tokens': (n) => ({
      id: 'a',
      choices: [
        {
          index: 0,
          message: { content: 'x' },
          finish_reason: 'stop',
          logprobs: { content: list(n, () => ({ token: 'x', logprob: -1, top_logprobs: [] })) },
        },
      ],
    }),
  },
  messages: {
    blocks: (n) => claude(list(n, () => ({ type: 'text', text: 'é' }))),
    'thoughts and calls': (n) =>
      claude(
        list(2 * n, (i) =>
          i % 2
            ? { type: 'tool_use', id: `c${i}`, name: 'f', input: {} }
            : { type: 'thinking', thinking: 'x', signature: 'ab' },
        ),
      ),
    citations: (n) => claude([{ type: 'text', text: words(n), citations: list(n, found) }]),
    'blocks with citations': (n) => claude(list(n, (i) => ({ type: 'text', text: 'é', citations: [found(i)] }))),
    'unknown fields': (n) => claude([{ type: 'text', text: 'x', ...keys(n) }], keys(n)),
    'unknown usage': (n) => claude([], { usage: { input_tokens: 1, output_tokens: 1, ...keys(n) } }),
    'hosted calls': (n) =>
      claude(
        list(2 * n, (i) =>
          i % 2
            ? { type: 'web_search_tool_result', tool_use_id: `s${i - 1}`, content: [] }
            : { type: 'server_tool_use', id: `s${i}`, name: 'web_search', input: {} },
        ),
      ),
  },
  'generate-content': {
    parts: (n) => gemini(list(n, () => ({ text: 'é' }))),
    'signed parts': (n) => gemini(list(n, () => ({ text: 'x', thoughtSignature: 'abcd' }))),
    calls: (n) => gemini(list(n, () => ({ functionCall: { name: 'f', args: {} } }))),
    'sources by their place': (n) =>
      gemini([{ text: words(n) }], {
        groundingMetadata: {
          groundingChunks: chunks(n),
          groundingSupports: list(n, (i) => support({ startIndex: 6 * i, endIndex: 6 * i + 6 }, i)),
        },
      }),
    'sources by part': (n) =>
      gemini(
        list(n, () => ({ text: 'é' })),
        {
          groundingMetadata: {
            groundingChunks: chunks(n),
            groundingSupports: list(n, (i) => support({ partIndex: i, startIndex: 0, endIndex: 2 }, i)),
          },
        },
      ),
    'sources by words that stand nowhere': (n) =>
      gemini([{ text: words(n) }], {
        groundingMetadata: {
          groundingChunks: chunks(n),
          groundingSupports: list(n, (i) => support({ endIndex: 6, text: 'nowhere' }, i)),
        },
      }),
    'sources of the whole text': (n) =>
      gemini([{ text: words(n) }], {
        groundingMetadata: {
          groundingChunks: chunks(n),
          groundingSupports: list(n, (i) => support({ endIndex: 1e9 }, i)),
        },
      }),
    recitations: (n) =>
      gemini([{ text: words(n) }], {
        citationMetadata: { citations: list(n, (i) => ({ uri: `https://x.test/${i}`, startIndex: i, endIndex: 1e9 })) },
      }),
    candidates: (n) => ({
      candidates: list(n, (index) => ({ index, content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' })),
    }),
    'unknown fields': (n) => ({ ...gemini([{ text: 'x', ...keys(n) }], keys(n)), ...keys(n) }),
  },
  responses: RESPONSES_ANSWERS,
}

const delta = (value: Json, index = 0): Json => ({ id: 'a', model: 'm', choices: [{ index, delta: value }] })
const END = { id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const claudeStream = (events: readonly Json[]): Json[] => [
  { type: 'message_start', message: claude([]) },
  ...events,
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
const block = (index: number, content: Json, deltas: readonly Json[] = []): Json[] => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((value) => ({ type: 'content_block_delta', index, delta: value })),
  { type: 'content_block_stop', index },
]
const piece = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
})
const partial = (args: readonly Json[], more: Json = {}): Json =>
  piece([{ functionCall: { partialArgs: args, ...more } }])

/** Streams, by format and by what they are full of. */
export const STREAMS: Readonly<Record<string, Readonly<Record<string, StreamShape>>>> = {
  'chat-completions': {
    'pieces of text': (n) => [...list(n, () => delta({ content: 'é' })), END],
    'pieces of thoughts': (n) => [...list(n, () => delta({ reasoning_content: 'x' })), END],
    'pieces of a call': (n) => [
      delta({ tool_calls: [call(0, '')] }),
      ...list(n, () => delta({ tool_calls: [{ index: 0, function: { arguments: '1' } }] })),
      END,
    ],
    calls: (n) => [...list(Math.min(n, 1000), (i) => delta({ tool_calls: [call(i)] })), END],
    citations: (n) => [...list(n, (i) => delta({ content: 'é', annotations: [annotation(i)] })), END],
    'citations without a place': (n) => [
      ...list(n, (i) => delta({ content: 'é', annotations: [annotation(i, false)] })),
      END,
    ],
    'signed thoughts': (n) => [
      ...list(n, () => delta({ thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: 'a' }] })),
      END,
    ],
    'details of thoughts': (n) => [...details(n).map((item) => delta({ reasoning_details: [item] })), END],
    'unknown fields': (n) => [...list(n, (i) => delta({ content: 'x', [`k${i}`]: 1 })), END],
    'unknown fields in one event': (n) => [delta({ content: 'x', ...keys(n) }), END],
    'likelihoods of tokens': (n) => [
      ...list(n, () => ({
        id: 'a',
        choices: [{ index: 0, delta: { content: 'x' }, logprobs: { content: [{ token: 'x', logprob: -1 }] } }],
      })),
      END,
    ],
    usage: (n) => [
      ...list(n, (i) => ({ ...delta({ content: 'x' }), usage: { prompt_tokens: 1, completion_tokens: i } })),
      END,
    ],
    images: (n) => [
      ...list(n, () => delta({ images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] })),
      END,
    ],
    'one long text': (n) => [delta({ content: words(n) }), END],
    choices: (n) => [...list(Math.min(n, 1000), (i) => delta({ content: 'x' }, i)), END],
    'citations in one event': (n) => [delta({ content: words(n), annotations: list(n, (i) => annotation(i)) }), END],
  },
  messages: {
    'pieces of text': (n) =>
      claudeStream(
        block(
          0,
          { type: 'text', text: '' },
          list(n, () => ({ type: 'text_delta', text: 'é' })),
        ),
      ),
    blocks: (n) => claudeStream(list(n, (i) => block(i, { type: 'text', text: 'x' })).flat()),
    'pieces of a call': (n) =>
      claudeStream(
        block(
          0,
          { type: 'tool_use', id: 'c', name: 'f', input: {} },
          list(n, () => ({ type: 'input_json_delta', partial_json: '1' })),
        ),
      ),
    citations: (n) =>
      claudeStream(
        block(
          0,
          { type: 'text', text: 'é' },
          list(n, (i) => ({ type: 'citations_delta', citation: found(i) })),
        ),
      ),
    'signed thoughts': (n) =>
      claudeStream(
        list(n, (i) =>
          block(i, { type: 'thinking', thinking: '' }, [{ type: 'signature_delta', signature: 'ab' }]),
        ).flat(),
      ),
    'blocks of the start': (n) => [
      { type: 'message_start', message: claude(list(n, () => ({ type: 'text', text: 'x' }))) },
      ...claudeStream([]).slice(1),
    ],
    usage: (n) =>
      claudeStream(list(n, (i) => ({ type: 'message_delta', delta: {}, usage: { output_tokens: i, [`k${i}`]: 1 } }))),
    summaries: (n) =>
      claudeStream(
        block(
          0,
          { type: 'compaction', content: '' },
          list(n, () => ({ type: 'compaction_delta', content: 'x' })),
        ),
      ),
  },
  'generate-content': {
    'pieces of text': (n) => [...list(n, () => piece([{ text: 'é' }])), piece([], { finishReason: 'STOP' })],
    'signed pieces': (n) => [
      ...list(n, () => piece([{ text: 'x', thoughtSignature: 'abcd' }])),
      piece([], { finishReason: 'STOP' }),
    ],
    calls: (n) => [
      ...list(n, () => piece([{ functionCall: { name: 'f', args: {} } }])),
      piece([], { finishReason: 'STOP' }),
    ],
    'pieces of arguments': (n) => [
      piece([{ functionCall: { name: 'f', willContinue: true } }]),
      ...list(n, () => partial([{ jsonPath: '$.a', stringValue: 'x', willContinue: true }], { willContinue: true })),
      partial([], {}),
      piece([], { finishReason: 'STOP' }),
    ],
    'sources with each piece': (n) => [
      ...list(n, (i) =>
        piece([{ text: 'é' }], {
          groundingMetadata: {
            groundingChunks: chunks(1),
            groundingSupports: [support({ startIndex: 2 * i, endIndex: 2 * i + 2 }, i)],
          },
        }),
      ),
      piece([], { finishReason: 'STOP' }),
    ],
    'sources at the end': (n) => [
      piece([{ text: words(n) }]),
      piece([], {
        finishReason: 'STOP',
        groundingMetadata: {
          groundingChunks: chunks(n),
          groundingSupports: list(n, (i) => support({ startIndex: 6 * i, endIndex: 6 * i + 6 }, i)),
        },
      }),
    ],
    'unknown fields': (n) => [
      ...list(n, (i) => ({ ...piece([{ text: 'x', [`k${i}`]: 1 }], { [`k${i}`]: 1 }), [`k${i}`]: 1 })),
      piece([], { finishReason: 'STOP' }),
    ],
    usage: (n) => [
      ...list(n, (i) => ({
        ...piece([{ text: 'x' }]),
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: i },
      })),
      piece([], { finishReason: 'STOP' }),
    ],
  },
  responses: RESPONSES_STREAMS,
}

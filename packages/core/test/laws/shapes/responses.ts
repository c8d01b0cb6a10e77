import type { Json } from '../../../src/canonical/json.ts'
import { dotted, keys, list, object, PDF, PNG, type Shape, sealed } from './pieces.ts'

const text = { type: 'input_text', text: 'x' }
const input = (items: readonly Json[], more: Json = {}): Json => ({ model: 'm', input: items, ...more })
const asks = (content: unknown, more: Json = {}): Json => input([{ role: 'user', content }], more)
const call = (index: number): Json => ({ type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' })
const result = (index: number): Json => ({ type: 'function_call_output', call_id: `c${index}`, output: 'x' })
const tool = (index: number): Json => ({
  type: 'function',
  name: `f${index}`,
  parameters: object({ a: { type: 'string' } }),
})

/** Requests in the responses format. */
export const RESPONSES: Readonly<Record<string, Shape>> = {
  parts: (n) => asks(list(n, () => text)),
  turns: (n) => input(list(2 * n + 1, (i) => ({ role: i % 2 ? 'assistant' : 'user', content: 'x' }))),
  'messages of the assistant': (n) => input(list(n, () => ({ role: 'assistant', content: 'x' }))),
  calls: (n) => input([...list(n, call), ...list(n, result)]),
  'results in another order': (n) => input([...list(n, call), ...list(n, (i) => result(Math.floor(n) - 1 - i))]),
  'free text': (n) =>
    input([
      ...list(n, (i) => ({ type: 'custom_tool_call', call_id: `c${i}`, name: 'f', input: 'x' })),
      ...list(n, (i) => ({ type: 'custom_tool_call_output', call_id: `c${i}`, output: 'x' })),
    ]),
  'parts of a result': (n) => input([call(0), { ...result(0), output: list(n, () => text) }]),
  thoughts: (n) =>
    input(
      list(n, (i) => ({
        type: 'reasoning',
        id: `rs_${i}`,
        summary: [{ type: 'summary_text', text: 'x' }],
        encrypted_content: 'ab',
      })),
    ),
  'parts of a summary': (n) =>
    input([{ type: 'reasoning', id: 'rs_1', summary: list(n, () => ({ type: 'summary_text', text: 'x' })) }]),
  'sealed thoughts between calls': (n) =>
    input([
      ...list(2 * n, (i) =>
        i % 2 ? call(i) : { type: 'reasoning', id: `rs_${i}`, summary: [], encrypted_content: sealed('ab') },
      ),
      ...list(n, (i) => result(2 * i + 1)),
    ]),
  'items of the provider’s tools': (n) =>
    input(
      list(n, (i) => ({
        type: 'web_search_call',
        id: `ws_${i}`,
        status: 'completed',
        action: { type: 'search', query: 'x' },
      })),
    ),
  images: (n) => asks(list(n, () => ({ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }))),
  documents: (n) =>
    asks(list(n, () => ({ type: 'input_file', filename: 'a', file_data: `data:application/pdf;base64,${PDF}` }))),
  'documents without a type': (n) => asks(list(n, () => ({ type: 'input_file', file_data: PDF }))),
  'cache marks': (n) => asks(list(n, () => ({ ...text, prompt_cache_breakpoint: { mode: 'explicit' } }))),
  annotations: (n) =>
    input([
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [
          {
            type: 'output_text',
            text: 'x',
            annotations: list(n, (i) => ({ type: 'url_citation', url: `https://x.test/${i}` })),
          },
        ],
      },
    ]),
  tools: (n) => asks('x', { tools: list(n, tool) }),
  'tools of a namespace': (n) =>
    asks('x', { tools: [{ type: 'namespace', name: 'ns', description: 'x', tools: list(n, tool) }] }),
  namespaces: (n) => asks('x', { tools: list(n, (i) => ({ type: 'namespace', name: `ns${i}`, tools: [tool(0)] })) }),
  'tools that may be called': (n) =>
    asks('x', {
      tools: list(n, tool),
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: list(n, (i) => ({ type: 'function', name: `f${i}` })),
      },
    }),
  'tools that others have not': (n) => asks('x', { tools: list(n, (i) => ({ type: 'mcp', server_label: `s${i}` })) }),
  'properties of a tool': (n) =>
    asks('x', { tools: [{ ...tool(0), parameters: object(keys(n, { type: 'string' })) }] }),
  include: (n) => asks('x', { include: list(n, (i) => `i${i}`) }),
  'unknown fields': (n) => asks('x', keys(n)),
  'unknown fields with dots': (n) => asks('x', keys(n, 1, dotted)),
  'unknown fields of a part': (n) => asks([{ ...text, ...keys(n) }]),
  'unknown fields of an item': (n) => input([{ role: 'user', content: 'x', ...keys(n) }]),
}

const answer = (output: readonly Json[], more: Json = {}): Json => ({
  id: 'a',
  object: 'response',
  status: 'completed',
  model: 'm',
  output,
  ...more,
})
const said = (content: readonly Json[], id = 'msg_1'): Json => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content,
})
const spoken = (words: string, more: Json = {}): Json => ({
  type: 'output_text',
  text: words,
  annotations: [],
  ...more,
})
const cited = (index: number): Json => ({
  type: 'url_citation',
  url: `https://x.test/${index}`,
  title: 'x',
  start_index: index,
  end_index: index + 2,
})

/** Whole answers in the responses format. */
export const RESPONSES_ANSWERS: Readonly<Record<string, Shape>> = {
  text: (n) => answer([said([spoken('é😀'.repeat(4 * n))])]),
  messages: (n) => answer(list(n, (i) => said([spoken('x')], `msg_${i}`))),
  'parts of a message': (n) => answer([said(list(n, () => spoken('x')))]),
  calls: (n) => answer(list(n, call)),
  thoughts: (n) =>
    answer(
      list(n, (i) => ({
        type: 'reasoning',
        id: `rs_${i}`,
        summary: [{ type: 'summary_text', text: 'x' }],
        encrypted_content: 'ab',
      })),
    ),
  annotations: (n) => answer([said([spoken('x'.repeat(n + 3), { annotations: list(n, cited) })])]),
  'likelihoods of tokens': (n) =>
    answer([said([spoken('x', { logprobs: list(n, () => ({ token: 'x', logprob: -1, top_logprobs: [] })) })])]),
  'items of the provider’s tools': (n) =>
    answer(list(n, (i) => ({ type: 'web_search_call', id: `ws_${i}`, action: { type: 'search', query: 'x' } }))),
  images: (n) => answer(list(n, (i) => ({ type: 'image_generation_call', id: `ig_${i}`, result: PNG }))),
  'unknown fields': (n) => answer([said([spoken('x', keys(n))])], keys(n)),
}

const created = { type: 'response.created', response: { id: 'a', model: 'm', status: 'in_progress', output: [] } }
const completed = (output: readonly Json[]): Json => ({ type: 'response.completed', response: answer(output) })
const added = (output_index: number, item: Json): Json => ({ type: 'response.output_item.added', output_index, item })
const done = (output_index: number, item: Json): Json => ({ type: 'response.output_item.done', output_index, item })
const piece = (type: string, delta: string, more: Json = {}): Json => ({
  type,
  output_index: 0,
  content_index: 0,
  delta,
  ...more,
})

/** Streams in the responses format. */
export const RESPONSES_STREAMS: Readonly<Record<string, (size: number) => readonly Json[]>> = {
  'pieces of text': (n) => [
    created,
    added(0, said([])),
    ...list(n, () => piece('response.output_text.delta', 'x')),
    done(0, said([spoken('x'.repeat(n))])),
    completed([]),
  ],
  parts: (n) => [
    created,
    added(0, said([])),
    ...list(n, (i) => piece('response.output_text.delta', 'x', { content_index: i })),
    done(0, said([])),
    completed([]),
  ],
  'pieces of arguments': (n) => [
    created,
    added(0, { ...call(0), arguments: '' }),
    ...list(n, () => piece('response.function_call_arguments.delta', ' ')),
    done(0, call(0)),
    completed([call(0)]),
  ],
  'pieces of thoughts': (n) => [
    created,
    added(0, { type: 'reasoning', id: 'rs_1', summary: [] }),
    ...list(n, (i) => piece('response.reasoning_summary_text.delta', 'x', { summary_index: i })),
    done(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ab' }),
    completed([]),
  ],
  calls: (n) => [created, ...list(n, (i) => done(i, call(i))), completed(list(n, call))],
  'calls that are open at once': (n) => [
    created,
    ...list(n, (i) => added(i, { ...call(i), arguments: '' })),
    ...list(n, (i) => done(i, call(i))),
    completed(list(n, call)),
  ],
  'items that only the end tells': (n) => [created, completed(list(n, call))],
  annotations: (n) => [
    created,
    piece('response.output_text.delta', 'x'.repeat(n + 3)),
    ...list(n, (i) => ({
      type: 'response.output_text.annotation.added',
      output_index: 0,
      content_index: 0,
      annotation: cited(i),
    })),
    completed([]),
  ],
  'items of the provider’s tools': (n) => [
    created,
    ...list(n, (i) => done(i, { type: 'web_search_call', id: `ws_${i}`, action: {} })),
    completed([]),
  ],
  'events that are not known': (n) => [
    created,
    ...list(n, () => ({ type: 'response.novelty', ...keys(3) })),
    completed([]),
  ],
}

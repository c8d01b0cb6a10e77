import type { Json } from '../../../src/canonical/json.ts'
import { asks, chat, dotted, keys, list, object, PNG, type Shape, sealed, THOUGHTS, text, user } from './pieces.ts'

const claude = (blocks: readonly Json[], role = 'assistant'): Json =>
  role === 'user' ? asks(blocks) : chat([user(), { role, content: blocks }, user()])
const answered = (calls: readonly Json[], results: readonly Json[]): Json =>
  chat([user(), { role: 'assistant', content: calls }, user(results)])
const use = (index: number, input: Json = {}): Json => ({ type: 'tool_use', id: `c${index}`, name: 'f', input })

/** Requests in the messages format. */
export const MESSAGES: Readonly<Record<string, Shape>> = {
  blocks: (n) =>
    claude(
      list(n, () => text),
      'user',
    ),
  'blocks of the system prompt': (n) => asks('x', { system: list(n, () => text) }),
  turns: (n) => chat(list(2 * n + 1, (i) => (i % 2 ? { role: 'assistant', content: 'x' } : user()))),
  calls: (n) =>
    answered(
      list(n, (i) => use(i)),
      list(n, (i) => ({ type: 'tool_result', tool_use_id: `c${i}` })),
    ),
  'results in another order': (n) =>
    answered(
      list(n, (i) => use(i)),
      list(n, (i) => ({ type: 'tool_result', tool_use_id: `c${Math.floor(n) - 1 - i}` })),
    ),
  'fields of an input': (n) => answered([use(0, keys(n))], [{ type: 'tool_result', tool_use_id: 'c0' }]),
  thoughts: (n) => claude(list(n, () => ({ type: 'thinking', thinking: 'x', signature: 'abcd' }))),
  'sealed thoughts between texts': (n) =>
    claude(list(n, (i) => (i % 2 ? text : { type: 'thinking', thinking: 'x', signature: sealed('ab') }))),
  'redacted thoughts': (n) => claude(list(n, () => ({ type: 'redacted_thinking', data: THOUGHTS }))),
  'cache marks': (n) =>
    claude(
      list(n, () => ({ ...text, cache_control: { type: 'ephemeral' } })),
      'user',
    ),
  images: (n) =>
    claude(
      list(n, () => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } })),
      'user',
    ),
  documents: (n) =>
    claude(
      list(n, () => ({ type: 'document', title: 'a', context: 'b', source: { type: 'content', content: [text] } })),
      'user',
    ),
  'a search result': (n) =>
    claude([{ type: 'search_result', title: 'x', source: 'y', content: list(n, () => text) }], 'user'),
  citations: (n) =>
    claude([
      {
        ...text,
        citations: list(n, () => ({
          type: 'web_search_result_location',
          url: 'https://x.test',
          cited_text: 'x',
          title: 'x',
        })),
      },
    ]),
  'hosted calls': (n) =>
    claude(
      list(2 * n, (i) =>
        i % 2
          ? { type: 'web_search_tool_result', tool_use_id: `s${i - 1}`, content: [] }
          : { type: 'server_tool_use', id: `s${i}`, name: 'web_search', input: {} },
      ),
    ),
  summaries: (n) => claude(list(n, () => ({ type: 'compaction', content: 'x' }))),
  'unknown fields': (n) => asks('x', keys(n)),
  'unknown fields with dots': (n) => asks('x', keys(n, 1, dotted)),
  'unknown fields of a block': (n) => claude([{ ...text, ...keys(n) }], 'user'),
  metadata: (n) => asks('x', { metadata: keys(n) }),
  tools: (n) =>
    asks('x', { tools: list(n, (i) => ({ name: `f${i}`, input_schema: object({ a: { type: 'string' } }) })) }),
  'properties of a tool': (n) =>
    asks('x', { tools: [{ name: 'f', input_schema: object(keys(n, { type: 'string', pattern: 'x', foo: 1 })) }] }),
  domains: (n) =>
    asks('x', {
      tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: list(n, (i) => `a${i}.test`) }],
    }),
  'stop sequences': (n) => asks('x', { stop_sequences: list(n, (i) => `s${i}`) }),
}

import fc from 'fast-check'
import type { Block, CacheMark, MediaBlock, ToolCallBlock } from '../../src/canonical/block.ts'
import type { ChatRequest, Message, RequestField, Tool } from '../../src/canonical/request.ts'

/** Text that formats are likely to trip over. */
const words = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '\n', '"', '\\', 'é', '€', '😀', '{', '}', ':', ','),
  maxLength: 12,
})

/** A draft of a block: the real one has a mark in its content that no other block has. */
type Sketch = (mark: string) => Block

/** Ends in no white space: some vendors cut it off. */
const text = (mark: string, more: string): string => `${mark} ${more}.`
const cache: fc.Arbitrary<CacheMark> = fc.constantFrom<CacheMark>({}, { ttl: '5m' }, { ttl: '1h' })

/** An optional field, there or not. */
function maybe<K extends string, T>(key: K, value: fc.Arbitrary<T>): fc.Arbitrary<{ [Key in K]?: T }> {
  return fc
    .option(value, { nil: undefined, freq: 3 })
    .map((found) => (found === undefined ? {} : { [key]: found }) as { [Key in K]?: T })
}

const textBlock: fc.Arbitrary<Sketch> = fc
  .tuple(words, maybe('cache', cache))
  .map(([more, mark]) => (name: string) => ({
    type: 'text',
    text: text(name, more),
    ...mark,
  }))

const base64 = (mark: string): string => Buffer.from(`bytes of ${mark}`).toString('base64')

const media: fc.Arbitrary<Sketch> = fc.oneof(
  fc.tuple(maybe('detail', fc.constantFrom('low' as const, 'high' as const)), maybe('cache', cache)).map(
    ([detail, mark]) =>
      (name: string): MediaBlock => ({
        type: 'media',
        kind: 'image',
        mime: 'image/png',
        source: { type: 'base64', data: base64(name) },
        ...detail,
        ...mark,
      }),
  ),
  fc.constant(
    (name: string): MediaBlock => ({
      type: 'media',
      kind: 'image',
      source: { type: 'url', url: `https://example.com/${name}.png` },
    }),
  ),
  maybe('name', fc.constant('a file.pdf')).map(
    (title) =>
      (name: string): MediaBlock => ({
        type: 'media',
        kind: 'document',
        mime: 'application/pdf',
        source: { type: 'base64', data: base64(name) },
        ...title,
      }),
  ),
)

const reasoning: fc.Arbitrary<Sketch> = fc
  .tuple(words, fc.constantFrom('claude', 'gemini', 'other', undefined))
  .map(([more, signer]) => (name: string) => ({
    type: 'reasoning',
    text: text(name, more),
    ...(signer !== undefined && { signature: { signer, value: base64(name) } }),
  }))

const NAMES = ['get_weather', 'a.b', 'a_b', 'x'.repeat(70), 'größe'] as const
const json = fc
  .dictionary(fc.constantFrom('a', 'b', 'größe', 'n'), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value))

const toolCall: fc.Arbitrary<Sketch> = fc
  .tuple(fc.constantFrom(...NAMES), json, maybe('signer', fc.constantFrom('claude', 'gemini')))
  .map(
    ([name, args, { signer }]) =>
      (mark: string): ToolCallBlock => ({
        type: 'tool-call',
        id: `call_${mark}`,
        name,
        arguments: args,
        ...(signer !== undefined && { signature: { signer, value: base64(mark) } }),
      }),
  )

const result = fc.record({ error: fc.boolean(), blocks: fc.array(textBlock, { minLength: 1, maxLength: 2 }) })

interface Exchange {
  /** What the system says in between. */
  readonly system: readonly Sketch[]
  readonly user: readonly Sketch[]
  readonly assistant: readonly Sketch[]
  readonly calls: readonly Sketch[]
  readonly results: readonly { error: boolean; blocks: readonly Sketch[] }[]
}

/**
 * A turn of the user, and what the assistant answers; the results of its calls stand at the head of the next user turn.
 */
const exchange: fc.Arbitrary<Exchange> = fc.record({
  system: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(textBlock, { minLength: 1, maxLength: 1 })),
  user: fc.array(fc.oneof({ weight: 3, arbitrary: textBlock }, media), { minLength: 1, maxLength: 3 }),
  assistant: fc.array(fc.oneof({ weight: 2, arbitrary: textBlock }, reasoning), { minLength: 1, maxLength: 2 }),
  calls: fc.array(toolCall, { maxLength: 2 }),
  results: fc.array(result, { minLength: 2, maxLength: 2 }),
})

/** Gives every message and block the path that losses name it by, and every block its mark. */
function conversation(system: readonly Sketch[], exchanges: readonly Exchange[]): Message[] {
  const messages: Message[] = []
  let count = 0
  const draw = (sketch: Sketch): Block => sketch(`m${count++}`)
  const say = (role: Message['role'], blocks: Block[]): void => {
    const at = `messages[${messages.length}]`
    messages.push({ role, at, blocks: blocks.map((block, index) => ({ ...block, at: `${at}.content[${index}]` })) })
  }
  if (system.length > 0) say('system', system.map(draw))
  let answers: Block[] = []
  exchanges.forEach(({ system: between, user, assistant, calls, results }, index) => {
    say('user', [...answers, ...user.map(draw)])
    if (between.length > 0) say('system', between.map(draw))
    if (index === exchanges.length - 1) return
    const called = calls.map(draw)
    say('assistant', [...assistant.map(draw), ...called])
    answers = called.map((call, position) => resultOf(call as ToolCallBlock, results[position], draw))
  })
  return messages
}

function resultOf(
  call: ToolCallBlock,
  given: Exchange['results'][number] | undefined,
  draw: (sketch: Sketch) => Block,
): Block {
  const blocks = (given?.blocks ?? []).map(draw)
  return { type: 'tool-result', id: call.id, name: call.name, blocks, ...(given?.error && { error: true }) }
}

const tools: fc.Arbitrary<Tool[]> = fc
  .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.tuple(fc.constant(name), fc.boolean(), maybe('description', words), maybe('cache', cache)),
      ),
    ),
  )
  .map((drawn) =>
    drawn.map(([name, strict, description, mark], index) => ({
      type: 'function',
      name,
      at: `tools[${index}]`,
      schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
      ...(strict && { strict }),
      ...description,
      ...mark,
    })),
  )

const FIELDS: readonly RequestField[] = [
  ...([
    'maxTokens',
    'temperature',
    'topP',
    'topK',
    'stop',
    'seed',
    'presencePenalty',
    'frequencyPenalty',
    'logprobs',
    'output',
  ] as const),
  ...([
    'reasoning',
    'tools',
    'toolChoice',
    'parallelTools',
    'user',
    'metadata',
    'serviceTier',
    'verbosity',
    'cache',
  ] as const),
]

const settings = fc
  .record(
    {
      maxTokens: fc.integer({ min: 2000, max: 8000 }),
      temperature: fc.constantFrom(0, 0.5, 1, 1.5),
      topP: fc.constantFrom(0.5, 1),
      topK: fc.constantFrom(5, 40),
      stop: fc.array(fc.constantFrom('END', 'stop here', '###'), { minLength: 1, maxLength: 5 }),
      seed: fc.integer({ min: 0, max: 1000 }),
      presencePenalty: fc.constantFrom(0.5, 1),
      frequencyPenalty: fc.constantFrom(0.5, 1),
      logprobs: fc.constantFrom({ top: 0 }, { top: 3 }),
      output: fc.constantFrom(
        { type: 'json' } as const,
        {
          type: 'schema',
          name: 'answer',
          schema: {
            type: 'object',
            properties: { a: { type: 'string' } },
            required: ['a'],
            additionalProperties: false,
          },
        } as const,
      ),
      reasoning: fc.oneof(
        fc
          .constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')
          .map((effort) => ({ effort }) as const),
        fc.constantFrom({ budget: 1500 }, { budget: -1 }, { adaptive: true } as const),
      ),
      parallelTools: fc.boolean(),
      user: fc.constantFrom('u-1', 'someone@example.com'),
      metadata: fc.constant({ team: 'a' }),
      serviceTier: fc.constantFrom('auto', 'default', 'flex', 'priority'),
      verbosity: fc.constantFrom('low' as const, 'high' as const),
      cache: fc.constant({}),
      stream: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .chain((drawn) => fc.option(tools, { nil: undefined }).chain((list) => withTools(drawn, list)))

function withTools(drawn: Partial<ChatRequest>, list: Tool[] | undefined): fc.Arbitrary<Partial<ChatRequest>> {
  if (!list) return fc.constant(drawn)
  const [first] = list
  const named = first?.name ?? ''
  const choices = [{ type: 'auto' }, { type: 'none' }, { type: 'required' }, { type: 'tool', name: named }] as const
  return fc
    .option(fc.constantFrom(...choices), { nil: undefined })
    .map((toolChoice) => ({ ...drawn, tools: list, ...(toolChoice && { toolChoice }) }))
}

/** Requests of any kind that every format can be asked for. Losses name a field by the field's own name. */
export const requests: fc.Arbitrary<ChatRequest> = fc
  .tuple(fc.array(textBlock, { maxLength: 2 }), fc.array(exchange, { minLength: 1, maxLength: 4 }), settings)
  .map(([system, exchanges, drawn]) => ({
    model: 'm',
    stream: false,
    streamUsage: true,
    ...drawn,
    messages: conversation(system, exchanges),
    paths: Object.fromEntries(FIELDS.map((field) => [field, field])),
  }))

export { FIELDS, maybe, words }

import { type ExpectedPart, framesOf, type KitFormat, requestDifferences, wires } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VENDOR_CLIENTS } from './clients.ts'
import { API_KEY } from './gateway.ts'
import { type Answer, written } from './long-answer.ts'
import { openStage, PROVIDERS, type Stage, type StagedProvider } from './stage.ts'

/** Files as small as they can be and still be known by their first bytes. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
).toString('base64')
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')
const FILES = { image: { media: 'image/png', base64: PNG }, pdf: { media: 'application/pdf', base64: PDF } } as const

/** What is asked in a turn; where the turn before called tools, their results come first. */
const ASKED: readonly { readonly text: string; readonly file?: keyof typeof FILES }[] = [
  { text: 'What is in this picture, and what is the weather there?', file: 'image' },
  { text: 'Go on.' },
  { text: 'And what does this document say?', file: 'pdf' },
  { text: 'Compare the two.' },
  { text: 'Look once more.', file: 'image' },
  { text: 'Which is colder?' },
  { text: 'Are you sure?' },
  { text: 'Check both again.' },
  { text: 'Summarize.' },
  { text: 'Thanks. One last word?' },
]

/** Every second turn calls two tools at once, the same one twice or two of them. */
function answerOf(turn: number): Answer {
  const calls = [
    { id: `call_${turn}_a`, name: 'weather', arguments: { city: `Bergen ${turn}`, unit: { degrees: 'C' } } },
    { id: `call_${turn}_b`, name: turn % 4 === 0 ? 'weather' : 'clock', arguments: { city: `Oslo ${turn}` } },
  ]
  return {
    thought: `Thought of turn ${turn}.`,
    signature: Buffer.from(`proof of turn ${turn} \u00ff+/`).toString('base64'),
    text: `Answer of turn ${turn}.`,
    calls: turn % 2 === 0 ? calls : [],
  }
}

const TURNS = ASKED.map((asked, turn) => ({
  asked,
  answer: answerOf(turn),
  results: answerOf(turn).calls.map(({ id }) => `result of ${id}`),
}))

const TOOLS = ['weather', 'clock'].map((name) => ({
  name,
  description: `The ${name} of a city.`,
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}))

/** How a caller of a format begins, and adds what a user says. The answers go back as they came. */
interface Caller {
  readonly start: Json
  /** The list of turns. */
  readonly turns: string
  say(text: string, file: keyof typeof FILES | undefined): Json
}

const CALLERS: Readonly<Record<KitFormat, Caller>> = {
  'chat-completions': {
    start: {
      reasoning_effort: 'high',
      max_completion_tokens: 9000,
      tools: TOOLS.map(({ schema, ...tool }) => ({ type: 'function', function: { ...tool, parameters: schema } })),
      messages: [],
    },
    turns: 'messages',
    say(text, file) {
      const files = {
        image: { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        pdf: { type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}`, filename: 'report.pdf' } },
      }
      return { role: 'user', content: [...(file ? [files[file]] : []), { type: 'text', text }] }
    },
  },
  messages: {
    start: {
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 4096 },
      tools: TOOLS.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })),
      messages: [],
    },
    turns: 'messages',
    say(text, file) {
      const { media, base64 } = FILES[file ?? 'image']
      const source = { type: 'base64', media_type: media, data: base64 }
      return {
        role: 'user',
        content: [...(file ? [{ type: file === 'pdf' ? 'document' : 'image', source }] : []), { type: 'text', text }],
      }
    },
  },
  responses: {
    start: {
      max_output_tokens: 9000,
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      tools: TOOLS.map(({ schema, ...tool }) => ({ type: 'function', ...tool, parameters: schema, strict: false })),
      input: [],
    },
    turns: 'input',
    say(text, file) {
      const files = {
        image: { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
        pdf: { type: 'input_file', file_data: `data:application/pdf;base64,${PDF}`, filename: 'report.pdf' },
      }
      return { role: 'user', content: [...(file ? [files[file]] : []), { type: 'input_text', text }] }
    },
  },
  'generate-content': {
    start: {
      generationConfig: { maxOutputTokens: 9000, thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } },
      tools: [
        { functionDeclarations: TOOLS.map(({ schema, ...tool }) => ({ ...tool, parametersJsonSchema: schema })) },
      ],
      contents: [],
    },
    turns: 'contents',
    say(text, file) {
      const { media, base64 } = FILES[file ?? 'image']
      return { role: 'user', parts: [...(file ? [{ inlineData: { mimeType: media, data: base64 } }] : []), { text }] }
    },
  },
}

/** Everything before a turn, and what is asked in it, without what was thought. */
function saidBefore(turn: number): ExpectedPart[] {
  let calls = 0
  return TURNS.slice(0, turn + 1).flatMap(({ asked, answer, results }, index): ExpectedPart[] => {
    const first = calls
    calls += answer.calls.length
    return [
      ...(asked.file ? [{ role: 'user', ...FILES[asked.file] } as const] : []),
      { role: 'user', text: asked.text },
      ...(index === turn
        ? []
        : [
            { role: 'assistant', text: answer.text } as const,
            ...answer.calls.map(
              ({ name, arguments: given }) => ({ role: 'assistant', call: { name, arguments: given } }) as const,
            ),
            ...results.map((result, at) => ({ role: 'user', result, of: first + at }) as const),
          ]),
    ]
  })
}

const providerOf = (turn: number, first: number): StagedProvider => {
  const provider = PROVIDERS[(turn + first) % PROVIDERS.length]
  if (!provider) throw new TypeError('There are no providers.')
  return provider
}

interface Sent {
  readonly answer: object
  /** The header `headgate-lost`; streams of SDKs do not show it. */
  readonly lost?: string
}

describe('A conversation of ten turns, with calls at once, images, reasoning and a PDF', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  async function whole(format: KitFormat, model: string, body: Json): Promise<Sent> {
    const wire = wires[format]
    const response = await fetch(`${stage.url}${wire.path(model, false)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(wire.body(body, model, false)),
    })
    const answer = Object(await response.json())
    expect([response.status, answer]).toEqual([200, expect.anything()])
    return { answer, lost: response.headers.get('headgate-lost') ?? '' }
  }

  async function streamed(format: KitFormat, model: string, body: Json): Promise<Sent> {
    const client = VENDOR_CLIENTS.find((one) => one.format === format)
    if (!client) throw new TypeError(`No SDK speaks ${format}.`)
    return { answer: await client.send(body, { url: stage.url, model, stream: true }) }
  }

  const formats = PROVIDERS.map(({ format }) => format)
  const table = formats.flatMap((format) =>
    PROVIDERS.flatMap((_, first) => [whole, streamed].map((how) => ({ format, first, how }))),
  )
  it.each(table)(
    'moves between all providers and keeps its meaning: caller of $format, from provider $first, $how.name',
    async (row) => {
      const { format, first, how } = row
      const caller = CALLERS[format]
      let body = caller.start
      for (const [turn, { asked, answer, results }] of TURNS.entries()) {
        const provider = providerOf(turn, first)
        const upstream = stage.upstream(provider)
        const vendor = wires[provider.format]
        const { body: given, stream } = written(answer, provider.format)
        upstream.answer(() =>
          how === streamed ? { kind: 'stream', pieces: framesOf(stream) } : { kind: 'whole', body: given },
        )
        body = { ...body, [caller.turns]: [...Object(body[caller.turns]), caller.say(asked.text, asked.file)] }
        const sent = await how(format, provider.model, body)

        const [request] = upstream.received.filter(({ method }) => method === 'POST')
        const arrived = Object(request?.body)
        const { said } = vendor.readRequest(arrived)
        expect(vendor.refuses(arrived)).toEqual([])
        expect(withoutThoughts(said)).toEqual(saidBefore(turn))

        const due = { said: saidBefore(turn), tools: TOOLS, maxTokens: 9000, reasoning: true }
        if (sent.lost !== undefined) {
          const found = { ...vendor.readRequest(arrived), said: withoutThoughts(said) }
          expect(requestDifferences(due, found, sent.lost)).toEqual([])
        }

        const signed = TURNS.slice(0, turn).map((past, at) => ({ ...past.answer, by: providerOf(at, first).format }))
        for (const { signature, by, thought } of signed) {
          // What stands bare in a body that passes as it is was put there by the caller, and is the vendor's to judge.
          if (provider.format === 'chat-completions' && format === provider.format) break
          const times = JSON.stringify(arrived).split(signature).length - 1
          expect([thought, times]).toEqual([thought, by === provider.format && by !== 'chat-completions' ? 1 : 0])
        }
        expect(JSON.stringify(arrived)).not.toMatch(/hg1\.|aGcxL/)
        if (provider.format === 'messages') {
          const own = signed
            .filter(({ by }) => by === 'messages')
            .map(({ thought, signature }) => ({ reasoning: thought, signature }))
          expect(thoughtsOf(said)).toEqual(own)
        }
        const left = signed.filter(({ thought }) => !JSON.stringify(arrived).includes(thought))
        if (sent.lost !== undefined && left.length > 0) expect(sent.lost).toMatch(LOST_THOUGHTS[format])

        body = wires[format].followUp(body, sent.answer, results)
        if (results.length === 0) body = { ...body, [caller.turns]: withoutEmptyTurn(Object(body[caller.turns])) }
      }
    },
  )
})

/** Where a caller of a format has what was thought. */
const LOST_THOUGHTS: Readonly<Record<KitFormat, RegExp>> = {
  'chat-completions': /reasoning_content|thinking_blocks/,
  messages: /messages\[\*\]\.content\[\*\]/,
  'generate-content': /contents\[\*\]\.parts\[\*\]/,
  responses: /input\[\*\]/,
}

function withoutThoughts(said: readonly ExpectedPart[]): ExpectedPart[] {
  return said.flatMap((one): ExpectedPart[] => {
    if ('reasoning' in one) return []
    return 'call' in one ? [{ role: one.role, call: { name: one.call.name, arguments: one.call.arguments } }] : [one]
  })
}

function thoughtsOf(said: readonly ExpectedPart[]): object[] {
  return said.flatMap((one) => ('reasoning' in one ? [{ reasoning: one.reasoning, signature: one.signature }] : []))
}

/** Where nothing was called there is nothing to send back. */
function withoutEmptyTurn(turns: readonly Json[]): Json[] {
  return turns.filter(({ content, parts }) => ![content, parts].some((one) => Array.isArray(one) && one.length === 0))
}

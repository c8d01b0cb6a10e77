import {
  answerDifferences,
  failures,
  framesOf,
  type KitFormat,
  requestDifferences,
  type Scenario,
  scenarios,
  vendorOf,
  wires,
} from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'
import { expect } from 'vitest'
import { API_KEY } from './gateway.ts'
import type { Stage, StagedProvider } from './stage.ts'

/** What becomes of a feature: it arrives, it is named in `headgate-lost`, or one of the formats does not have it. */
export type Verdict = 'carried' | 'declared' | 'absent'

/** A caller of a format with a provider of a format. */
export interface Pair {
  readonly stage: Stage
  readonly caller: KitFormat
  readonly provider: StagedProvider
}

export interface Feature {
  readonly name: string
  /** Rejects when it is damaged, or lost in silence. */
  verdict(pair: Pair): Promise<Verdict>
}

interface Asked {
  readonly status: number
  readonly lost: string
  readonly text: string
  /** What the provider got. */
  readonly arrived: Json
}

async function ask({ stage, caller, provider }: Pair, body: Json, stream = false): Promise<Asked> {
  const wire = wires[caller]
  const response = await fetch(`${stage.url}${wire.path(provider.model, stream)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(wire.body(body, provider.model, stream)),
  })
  const text = await response.text()
  const [request] = stage.upstream(provider).received.filter(({ method }) => method === 'POST')
  return {
    status: response.status,
    lost: response.headers.get('headgate-lost') ?? '',
    text,
    arrived: Object(request?.body),
  }
}

/** A scenario of the conformance kit: what was asked arrives, and what was answered. */
async function play(pair: Pair, scenario: Scenario, stream: boolean): Promise<Verdict> {
  const { stage, caller, provider } = pair
  stage.upstream(provider).answer(vendorOf(scenario, provider.format))
  const { text, lost, arrived } = await ask(pair, scenario.requests[caller], stream)
  const { meaning, problems } = stream ? wires[caller].readStream(text) : wires[caller].readAnswer(JSON.parse(text))
  expect(problems).toEqual([])
  expect(answerDifferences(scenario.meaning, meaning)).toEqual([])
  const found = wires[provider.format].readRequest(arrived)
  expect(requestDifferences(scenario.asked, found, lost)).toEqual([])
  return requestDifferences(scenario.asked, found, '').length === 0 ? 'carried' : 'declared'
}

function played(name: string, scenario: Scenario, modes: readonly boolean[] = [false, true]): Feature {
  return {
    name,
    async verdict(pair) {
      const verdicts: Verdict[] = []
      for (const stream of modes) verdicts.push(await play(pair, scenario, stream))
      return verdicts.find((verdict) => verdict !== 'carried') ?? 'carried'
    },
  }
}

/** Something in a request that must arrive, or be named. */
function sent(
  name: string,
  bodies: Readonly<Partial<Record<KitFormat, Json>>>,
  arrives: RegExp,
  isLost: RegExp,
): Feature {
  return {
    name,
    async verdict(pair) {
      const body = bodies[pair.caller]
      if (!body) return 'absent'
      pair.stage.upstream(pair.provider).answer(vendorOf(scenarios.text, pair.provider.format))
      const { status, lost, text, arrived } = await ask(pair, body)
      expect([status, text]).toEqual([200, expect.anything()])
      if (arrives.test(JSON.stringify(arrived))) return 'carried'
      expect(lost).toMatch(isLost)
      return 'declared'
    },
  }
}

const signature: Feature = {
  name: 'signature',
  async verdict(pair) {
    const { stage, caller, provider } = pair
    const { requests, answers } = scenarios.reasoning
    const signed = /"(?:signature|thoughtSignature|encrypted_content)":"([^"]+)"/.exec(
      JSON.stringify(answers[provider.format].body),
    )?.[1]
    if (signed === undefined) return 'absent'
    stage.upstream(provider).answer(vendorOf(scenarios.reasoning, provider.format))
    const { text } = await ask(pair, requests[caller])
    stage.upstream(provider).answer(vendorOf(scenarios.text, provider.format))
    const { lost, arrived } = await ask(
      pair,
      wires[caller].followUp(requests[caller], JSON.parse(text), ['4 °C, rain']),
    )
    if (JSON.stringify(arrived).includes(`"${signed}"`)) return 'carried'
    expect(lost).not.toBe('')
    return 'declared'
  },
}

/** A word in each format. */
type Words = Readonly<Record<KitFormat, string>>

const END: Words = {
  'chat-completions': 'stop',
  messages: 'end_turn',
  'generate-content': 'STOP',
  responses: 'completed',
}
const ENDS: readonly (readonly ['length' | 'content-filter', Words])[] = [
  [
    'length',
    {
      'chat-completions': 'length',
      messages: 'max_tokens',
      'generate-content': 'MAX_TOKENS',
      responses: 'max_output_tokens',
    },
  ],
  [
    'content-filter',
    {
      'chat-completions': 'content_filter',
      messages: 'refusal',
      'generate-content': 'SAFETY',
      responses: 'content_filter',
    },
  ],
]

/** The answer, ended by another word. The responses format has the word beside an answer that is incomplete. */
function endedBy(text: string, format: KitFormat, word: string): string {
  if (format !== 'responses') return text.replaceAll(`"${END[format]}"`, `"${word}"`)
  return text
    .replaceAll(
      '"status":"completed","incomplete_details":null',
      `"status":"incomplete","incomplete_details":{"reason":"${word}"}`,
    )
    .replaceAll('response.completed', 'response.incomplete')
}

const stopReason: Feature = {
  name: 'stop reason',
  async verdict(pair) {
    const { stage, caller, provider } = pair
    const { requests, answers } = scenarios.text
    for (const [finish, words] of ENDS) {
      const ended = (text: string): string => endedBy(text, provider.format, words[provider.format])
      const { body, stream } = answers[provider.format]
      stage.upstream(provider).answer({ kind: 'whole', body: JSON.parse(ended(JSON.stringify(body))) })
      const whole = await ask(pair, requests[caller])
      stage.upstream(provider).answer({ kind: 'stream', pieces: framesOf(ended(stream)) })
      const streamed = await ask(pair, requests[caller], true)
      const wire = wires[caller]
      const read = [wire.readAnswer(JSON.parse(whole.text)), wire.readStream(streamed.text)]
      expect(read.map(({ meaning }) => meaning.finish)).toEqual([finish, finish])
    }
    return 'carried'
  },
}

/** 100 tokens of input, of which 40 were read from a cache, and 20 of output. */
const USAGE: Readonly<Record<KitFormat, Json>> = {
  'chat-completions': {
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 40 },
    },
  },
  responses: {
    usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 20, total_tokens: 120 },
  },
  messages: {
    usage: { input_tokens: 60, cache_read_input_tokens: 40, cache_creation_input_tokens: 0, output_tokens: 20 },
  },
  'generate-content': {
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 20,
      totalTokenCount: 120,
    },
  },
}

const usage: Feature = {
  name: 'usage',
  async verdict(pair) {
    const { stage, caller, provider } = pair
    const { requests, answers } = scenarios.text
    stage
      .upstream(provider)
      .answer({ kind: 'whole', body: { ...answers[provider.format].body, ...USAGE[provider.format] } })
    const { text } = await ask(pair, requests[caller])
    expect(wires[caller].readAnswer(JSON.parse(text)).meaning.usage).toEqual({ input: 100, output: 20, cacheRead: 40 })
    return 'carried'
  },
}

/** Failures after which nothing is tried again, and what the caller gets. */
const STATUS: Readonly<Record<string, number>> = { 'invalid-request': 400, 'unknown-model': 400, 'our-credential': 500 }

const errors: Feature = {
  name: 'errors',
  async verdict(pair) {
    const { stage, caller, provider } = pair
    for (const { kind, reply } of failures[provider.format].answers) {
      const due = STATUS[kind]
      if (due === undefined || reply.kind !== 'whole') continue
      stage.upstream(provider).answer(reply)
      for (const stream of [false, true]) {
        const { status, text } = await ask(pair, scenarios.text.requests[caller], stream)
        expect([status, text]).toEqual([due, expect.anything()])
        const message = wires[provider.format].readError(reply.body) ?? ''
        const said = wires[caller].readError(JSON.parse(text))
        if (kind === 'invalid-request') expect(said).toContain(message)
        else expect(said).not.toBe('')
        expect(said).toBeDefined()
      }
    }
    return 'carried'
  },
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const name = 'screenshot'
const question = 'What is on the screen?'

/** A chat completions tool message has text only. */
const SEEN: Readonly<Partial<Record<KitFormat, Json>>> = {
  messages: {
    max_tokens: 256,
    tools: [{ name, input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name, input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
          },
        ],
      },
    ],
  },
  responses: {
    tools: [{ type: 'function', name, parameters: { type: 'object' } }],
    input: [
      { role: 'user', content: question },
      { type: 'function_call', call_id: 'call_1', name, arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }],
      },
    ],
  },
  'generate-content': {
    tools: [{ functionDeclarations: [{ name }] }],
    contents: [
      { role: 'user', parts: [{ text: question }] },
      { role: 'model', parts: [{ functionCall: { name, args: {} } }] },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              name,
              response: { output: '' },
              parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }],
            },
          },
        ],
      },
    ],
  },
}

/** generateContent names a cache, and marks nothing. */
const marked = { role: 'user', content: [{ type: 'text', text: question, cache_control: { type: 'ephemeral' } }] }
const MARKED: Readonly<Partial<Record<KitFormat, Json>>> = {
  'chat-completions': { messages: [marked] },
  messages: { max_tokens: 256, messages: [marked] },
}

/** What the matrix has a row for. */
export const FEATURES: readonly Feature[] = [
  played('text', scenarios.text, [false]),
  played('stream', scenarios.text, [true]),
  played('tools', scenarios.tools),
  played('parallel tools', scenarios.parallelTools),
  sent('tool results with images', SEEN, new RegExp(PNG.slice(0, 60).replaceAll('+', '\\+')), /content|parts/),
  played('reasoning', scenarios.reasoning),
  signature,
  played('image', scenarios.image),
  played('PDF', scenarios.pdf),
  sent('cache control', MARKED, /cache_control|prompt_cache_breakpoint/, /cache_control/),
  played('structured output', scenarios.structuredOutput),
  stopReason,
  usage,
  errors,
]

import { isDeepStrictEqual } from 'node:util'
import { googleVectors, openaiVectors, vectorOf } from '../../apps/server/test/sdk/embedding-vendors.ts'
import type { FormatId, RequestMeaning } from '../../packages/conformance/src/families/chat/meaning.ts'
import { type Script, scripted, type Turn } from '../../packages/conformance/src/families/chat/script.ts'
import { wires } from '../../packages/conformance/src/families/chat/wire/index.ts'
import type { Received, Reply } from '../../packages/conformance/src/upstream.ts'
import type { Check } from './client.ts'
import { PASSED, shortened, UNSIGNED } from './results.ts'

export const QUESTION = 'Say hello.'
export const TASK = 'How is the weather in Lima?'
export const TEXTS = ['one', 'three', 'eleven']

const HELLO = 'Hello from far away.'
const CITY = 'Lima'
/** What the clients' tool says of the city. */
export const WEATHER = `17 degrees in ${CITY}`
const OBJECT = { city: CITY, degrees: 17 }
const THOUGHT = { text: 'A tool knows.', signature: Buffer.from('proof of a thought').toString('base64') }

/** An upstream that plays a provider. */
export interface Vendor {
  /** Requests that brought the result of a call, oldest first. */
  readonly toolRounds: readonly RequestMeaning[]
  /** Why the vendor would not have answered what it was asked. */
  readonly refusals: readonly string[]
  answer(request: Received): Reply
}

/** A vendor whose model greets, calls the tool that it is offered, and says what the tool said. */
export function vendorOf(format: FormatId): Vendor {
  const toolRounds: RequestMeaning[] = []
  const refusals: string[] = []
  const chat = scripted((request) => {
    if (request.said.some((one) => 'result' in one)) toolRounds.push(request)
    return turnOf(request, format)
  }, format)
  const vectors = format === 'generate-content' ? googleVectors : openaiVectors
  return {
    toolRounds,
    refusals,
    answer(request) {
      if (/embed/i.test(request.path)) return vectors(request)
      const body = format === 'generate-content' ? inCamelCase(request.body) : request.body
      if (request.method === 'POST') refusals.push(...wires[format].refuses(Object(body)))
      return chat({ ...request, body })
    },
  }
}

/** Fields of Gemini whose contents are the caller's. */
const OF_THE_CALLER = new Set(['args', 'response', 'parameters', 'parametersJsonSchema'])

/** Gemini takes its fields' names in either spelling. @see https://protobuf.dev/programming-guides/json/#field-names */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, content]) => {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    return [camel, OF_THE_CALLER.has(camel) ? content : inCamelCase(content)]
  })
  return Object.fromEntries(entries)
}

/** Gemini signs every call; the others only after a thought that was asked for. */
function turnOf({ said, tools = [], schema }: Parameters<Script>[0], format: FormatId): Turn {
  const result = said.findLast((one) => 'result' in one)
  if (result) return { text: `The tool says: ${result.result}` }
  const [tool] = tools
  if (tool && !said.some((one) => 'text' in one && one.text.includes(QUESTION))) {
    const given = tool.name === 'get_weather' ? { city: CITY } : OBJECT
    return {
      ...(format === 'generate-content' && { thought: THOUGHT }),
      call: { id: 'call_of_weather', name: tool.name, arguments: given },
    }
  }
  return { text: schema ? JSON.stringify(OBJECT) : HELLO }
}

/** How a check went, by the value that a client made of the answers. */
export function verdictOf(
  check: Check,
  value: unknown,
  { vendor, format }: { vendor: Vendor; format: FormatId },
): string {
  if (!IS_RIGHT[check](value)) return shortened(`got ${JSON.stringify(value)}`)
  return check === 'tool' ? toolVerdict(vendor, format) : PASSED
}

const IS_RIGHT: Readonly<Record<Check, (value: unknown) => boolean>> = {
  answer: (value) => value === HELLO,
  // Some put the pieces together by themselves.
  stream: (value) => value === HELLO || (Array.isArray(value) && value.length > 1 && value.join('') === HELLO),
  tool: (value) => typeof value === 'string' && value.includes(WEATHER),
  object: (value) => isDeepStrictEqual(value, OBJECT),
  models: (value) => value === true,
  embeddings: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => isDeepStrictEqual(one, TEXTS.map(vectorOf))),
}

/** The model must have got its call back as it made it, and the result of it. */
function toolVerdict({ toolRounds, refusals }: Vendor, format: FormatId): string {
  const { said = [] } = toolRounds.at(-1) ?? {}
  const calls = said.flatMap((one) => ('call' in one ? [one.call] : []))
  const results = said.flatMap((one) => ('result' in one ? [one.of] : []))
  const isSame = isDeepStrictEqual(
    calls.map((call) => call.arguments),
    [{ city: CITY }],
  )
  if (!isSame) return shortened(`the model got back the calls ${JSON.stringify(calls)}`)
  if (!isDeepStrictEqual(results, [0])) return `the model got results of the calls ${results.join()}`
  if (refusals.length > 0) return shortened(`the vendor would refuse it: ${refusals.join()}`)
  return format === 'generate-content' && calls[0]?.signature !== THOUGHT.signature ? UNSIGNED : PASSED
}

import { isDeepStrictEqual } from 'node:util'
import { googleVectors, openaiVectors, vectorOf } from '../../apps/server/test/sdk/embedding-vendors.ts'
import type { KitFormat, RequestMeaning } from '../../packages/conformance/src/families/chat/meaning.ts'
import { type Script, type ScriptedTurn, scripted } from '../../packages/conformance/src/families/chat/script.ts'
import { wires } from '../../packages/conformance/src/families/chat/wire/index.ts'
import type { Received, UpstreamReply } from '../../packages/conformance/src/upstream.ts'
import type { Check } from './client.ts'
import { PASSED, shortened, UNSIGNED } from './results.ts'

export const QUESTION = 'Say hello.'
export const TASK = 'How is the weather in Lima?'
export const TEXTS = ['one', 'three', 'eleven']

const HELLO = 'Hello from far away.'
const CITY = 'Lima'
/** Result of the clients' tool. */
export const WEATHER = `17 degrees in ${CITY}`
const OBJECT = { city: CITY, degrees: 17 }
const THOUGHT = { text: 'A tool knows.', signature: Buffer.from('proof of a thought').toString('base64') }

/** Simulated vendor of a provider. */
export interface Vendor {
  /** Requests with the result of a call, oldest first. */
  readonly toolRounds: readonly RequestMeaning[]
  /** Reasons why the vendor would reject requests. */
  readonly refusals: readonly string[]
  answer(request: Received): UpstreamReply
}

/** Vendor whose model greets, calls the offered tool, and repeats the tool's result. */
export function vendorOf(format: KitFormat): Vendor {
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

/** Gemini fields whose content belongs to the caller. */
const OF_THE_CALLER = new Set(['args', 'response', 'parameters', 'parametersJsonSchema'])

/** Gemini accepts two spellings of field names. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, content]) => {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    return [camel, OF_THE_CALLER.has(camel) ? content : inCamelCase(content)]
  })
  return Object.fromEntries(entries)
}

/** Turn of the model. Gemini signs every call; the others sign only requested reasoning. */
function turnOf({ said, tools = [], schema }: Parameters<Script>[0], format: KitFormat): ScriptedTurn {
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

/** Verdict on a check, from the value that a client returned. */
export function verdictOf(
  check: Check,
  value: unknown,
  { vendor, format }: { vendor: Vendor; format: KitFormat },
): string {
  if (!IS_RIGHT[check](value)) return shortened(`got ${JSON.stringify(value)}`)
  return check === 'tool' ? toolVerdict(vendor, format) : PASSED
}

const IS_RIGHT: Readonly<Record<Check, (value: unknown) => boolean>> = {
  answer: (value) => value === HELLO,
  // Some clients join the chunks.
  stream: (value) => value === HELLO || (Array.isArray(value) && value.length > 1 && value.join('') === HELLO),
  tool: (value) => typeof value === 'string' && value.includes(WEATHER),
  object: (value) => isDeepStrictEqual(value, OBJECT),
  models: (value) => value === true,
  embeddings: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => isDeepStrictEqual(one, TEXTS.map(vectorOf))),
}

/** Verdict on the tool round: the model must get its call back unchanged, with the result. */
function toolVerdict({ toolRounds, refusals }: Vendor, format: KitFormat): string {
  const { said = [] } = toolRounds.at(-1) ?? {}
  const calls = said.flatMap((one) => ('call' in one ? [one.call] : []))
  const results = said.flatMap((one) => ('result' in one ? [one.of] : []))
  const isSame = isDeepStrictEqual(
    calls.map((call) => call.arguments),
    [{ city: CITY }],
  )
  if (!isSame) return shortened(`the model got back the calls ${JSON.stringify(calls)}`)
  if (!isDeepStrictEqual(results, [0])) return `the model got results of the calls ${results.join()}`
  if (refusals.length > 0) return shortened(`the vendor would reject it: ${refusals.join()}`)
  return format === 'generate-content' && calls[0]?.signature !== THOUGHT.signature ? UNSIGNED : PASSED
}

import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../json.ts'
import { show } from '../../show.ts'
import type { AnswerMeaning, ExpectedPart, KitFormat, RequestMeaning, RequestOptions } from './meaning.ts'

/** Differences between the expected and the actual meaning of a response, as messages. */
export function answerDifferences(due: AnswerMeaning, found: AnswerMeaning, usageIsKnown = true): string[] {
  const calls = ({ calls }: AnswerMeaning) => calls.map(({ name, arguments: given }) => ({ name, arguments: given }))
  const pairs: [string, unknown, unknown][] = [
    ['text', due.text, found.text],
    ['reasoning', due.reasoning, found.reasoning],
    ['tool calls', calls(due), calls(found)],
    ['finish reason', due.finish, found.finish],
    ...(usageIsKnown ? ([['usage', due.usage, found.usage]] satisfies [string, unknown, unknown][]) : []),
  ]
  return pairs.flatMap(([what, expected, actual]) =>
    isDeepStrictEqual(expected, actual)
      ? []
      : `the ${what} is ${show(actual)}, but the upstream sent ${show(expected)}`,
  )
}

/** Paths that name a lost option in `headgate-lost`, for all formats. */
const OPTION_PATHS: Readonly<Record<Exclude<keyof RequestOptions, 'tools'>, RegExp>> = {
  maxTokens: /max_?(completion_|output)?_?tokens/i,
  temperature: /temperature/,
  topP: /top_?p/i,
  stop: /stop/,
  schema: /response_?(format|schema|json)|output_config|text\.format/i,
  reasoning: /reason|think/i,
}

/** Paths of the options in a body of each format: the argument of `call.lose`. */
const LOSE_PATHS: Readonly<Record<KitFormat, Readonly<Record<keyof typeof OPTION_PATHS, string>>>> = {
  'chat-completions': {
    maxTokens: 'max_completion_tokens',
    temperature: 'temperature',
    topP: 'top_p',
    stop: 'stop',
    schema: 'response_format',
    reasoning: 'reasoning_effort',
  },
  messages: {
    maxTokens: 'max_tokens',
    temperature: 'temperature',
    topP: 'top_p',
    stop: 'stop_sequences',
    schema: 'output_config.format',
    reasoning: 'thinking',
  },
  'generate-content': {
    maxTokens: 'generationConfig.maxOutputTokens',
    temperature: 'generationConfig.temperature',
    topP: 'generationConfig.topP',
    stop: 'generationConfig.stopSequences',
    schema: 'generationConfig.responseSchema',
    reasoning: 'generationConfig.thinkingConfig',
  },
  responses: {
    maxTokens: 'max_output_tokens',
    temperature: 'temperature',
    topP: 'top_p',
    stop: 'stop',
    schema: 'text.format',
    reasoning: 'reasoning',
  },
}

/**
 * Advice on how to declare a dropped option: in `patchRequest`, or in the `writeRequest` of a codec (`format` is
 * undefined).
 */
function declaration(option: keyof typeof OPTION_PATHS, format: KitFormat | undefined): string {
  if (format) return `\`call.lose('${LOSE_PATHS[format][option]}', …)\``
  return `\`dropped(losses, request.paths.${option === 'schema' ? 'output' : option}, …)\` in \`writeRequest\``
}

/**
 * Differences between the sent and the received request, as messages. Turns and tools must arrive; an option can be
 * missing if `lost`, the header `headgate-lost`, names it. `format` is the upstream's; undefined for an adapter's
 * codec.
 */
export function requestDifferences(
  asked: RequestMeaning,
  arrived: RequestMeaning,
  lost: string,
  format?: KitFormat,
): string[] {
  const turns = turnDifferences(asked.said, arrived.said)
  const tools = isDeepStrictEqual(plainTools(asked), plainTools(arrived))
    ? []
    : [`the upstream received the tools ${show(arrived.tools)}, but the caller sent ${show(asked.tools)}`]
  const options = (Object.keys(OPTION_PATHS) as (keyof typeof OPTION_PATHS)[]).flatMap((option) => {
    const path = OPTION_PATHS[option]
    const due = asked[option]
    const found = arrived[option]
    if (due === undefined || isDeepStrictEqual(plain(due), plain(found)) || path.test(lost)) return []
    return `${option} is ${show(found)} at the upstream, but the caller sent ${show(due)}, and headgate-lost does not name it: declare it with ${declaration(option, format)}`
  })
  return [...turns, ...tools, ...options]
}

function turnDifferences(asked: readonly ExpectedPart[], arrived: readonly ExpectedPart[]): string[] {
  if (isDeepStrictEqual(asked, arrived)) return []
  const at = asked.findIndex((one, index) => !isDeepStrictEqual(one, arrived[index]))
  if (at === -1) return [`the upstream received ${show(arrived[asked.length])}, which the caller did not send`]
  return [`the upstream received ${show(arrived[at])}, but the caller sent ${show(asked[at])}`]
}

function plainTools({ tools = [] }: RequestMeaning): unknown {
  return tools.map((tool) => ({ ...tool, schema: plain(tool.schema) }))
}

/** Schema without the differences between formats: case of types, order of keys, closed objects. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'additionalProperties' && key !== 'propertyOrdering')
  return Object.fromEntries(
    entries.map(([key, one]) => [key, key === 'type' && typeof one === 'string' ? one.toLowerCase() : plain(one)]),
  )
}

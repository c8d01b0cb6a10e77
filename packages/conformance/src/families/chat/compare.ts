import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../json.ts'
import { show } from '../../show.ts'
import type { AnswerMeaning, FormatId, RequestMeaning, RequestOptions, Said } from './meaning.ts'

/** What differs between what an answer should mean and what it means, in words. */
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
    isDeepStrictEqual(expected, actual) ? [] : `the ${what} is ${show(actual)}, the upstream said ${show(expected)}`,
  )
}

/** Where a declared loss of an option is named, in whatever format. */
const OPTION_PATHS: Readonly<Record<Exclude<keyof RequestOptions, 'tools'>, RegExp>> = {
  maxTokens: /max_?(completion_|output)?_?tokens/i,
  temperature: /temperature/,
  topP: /top_?p/i,
  stop: /stop/,
  schema: /response_?(format|schema|json)|output_config|text\.format/i,
  reasoning: /reason|think/i,
}

/** Paths of the options in a body of each format: what an adapter passes to `call.lose`. */
const LOSE_PATHS: Readonly<Record<FormatId, Readonly<Record<keyof typeof OPTION_PATHS, string>>>> = {
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
 * How an option that is left out is declared: in `patchRequest`, or in the `writeRequest` of a codec (`format` is
 * undefined).
 */
function declaration(option: keyof typeof OPTION_PATHS, format: FormatId | undefined): string {
  if (format) return `\`call.lose('${LOSE_PATHS[format][option]}', …)\``
  return `\`dropped(losses, request.paths.${option === 'schema' ? 'output' : option}, …)\` in \`writeRequest\``
}

/**
 * What of a request did not arrive, in words. Turns and tools must; an option may be left out where `lost`, the header
 * `headgate-lost`, names it. `format` is the upstream's, undefined for a codec of its own.
 */
export function requestDifferences(
  asked: RequestMeaning,
  arrived: RequestMeaning,
  lost: string,
  format?: FormatId,
): string[] {
  const turns = turnDifferences(asked.said, arrived.said)
  const tools = isDeepStrictEqual(plainTools(asked), plainTools(arrived))
    ? []
    : [`tools arrived as ${show(arrived.tools)}, sent were ${show(asked.tools)}`]
  const options = (Object.keys(OPTION_PATHS) as (keyof typeof OPTION_PATHS)[]).flatMap((option) => {
    const path = OPTION_PATHS[option]
    const due = asked[option]
    const found = arrived[option]
    if (due === undefined || isDeepStrictEqual(plain(due), plain(found)) || path.test(lost)) return []
    return `${option} is ${show(found)} at the upstream, the caller sent ${show(due)}, and headgate-lost does not name it: declare it by ${declaration(option, format)}`
  })
  return [...turns, ...tools, ...options]
}

function turnDifferences(asked: readonly Said[], arrived: readonly Said[]): string[] {
  if (isDeepStrictEqual(asked, arrived)) return []
  const at = asked.findIndex((one, index) => !isDeepStrictEqual(one, arrived[index]))
  if (at === -1) return [`${show(arrived[asked.length])} arrived that the caller did not say`]
  return [`what is ${show(arrived[at])} at the upstream was ${show(asked[at])} when the caller said it`]
}

function plainTools({ tools = [] }: RequestMeaning): unknown {
  return tools.map((tool) => ({ ...tool, schema: plain(tool.schema) }))
}

/** A schema without what formats write differently: the case of types, the order of keys, closed objects. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'additionalProperties' && key !== 'propertyOrdering')
  return Object.fromEntries(
    entries.map(([key, one]) => [key, key === 'type' && typeof one === 'string' ? one.toLowerCase() : plain(one)]),
  )
}

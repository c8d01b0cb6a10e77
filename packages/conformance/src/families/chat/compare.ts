import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../json.ts'
import { show } from '../../show.ts'
import type { AnswerMeaning, RequestMeaning, RequestOptions, Said } from './meaning.ts'

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

/**
 * What of a request did not arrive, in words. Turns and tools must; an option may be left out where `lost`, the header
 * `headgate-lost`, names it.
 */
export function requestDifferences(asked: RequestMeaning, arrived: RequestMeaning, lost: string): string[] {
  const turns = turnDifferences(asked.said, arrived.said)
  const tools = isDeepStrictEqual(plainTools(asked), plainTools(arrived))
    ? []
    : [`tools arrived as ${show(arrived.tools)}, sent were ${show(asked.tools)}`]
  const options = Object.entries(OPTION_PATHS).flatMap(([option, path]) => {
    const due = asked[option as keyof RequestOptions]
    const found = arrived[option as keyof RequestOptions]
    if (due === undefined || isDeepStrictEqual(plain(due), plain(found)) || path.test(lost)) return []
    return `${option} is ${show(found)} at the upstream, the caller sent ${show(due)}, and headgate-lost does not name it`
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
  return Object.fromEntries(entries.map(([key, one]) => [key, key === 'type' && typeof one === 'string' ? one.toLowerCase() : plain(one)]))
}

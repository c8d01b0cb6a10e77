import { jsonText, parseArguments } from '../../canonical/arguments.ts'
import type { HostedCallBlock, HostedResultBlock } from '../../canonical/block.ts'
import { type Json, object, text } from '../../canonical/json.ts'
import { ownExtensions } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

/** Parts with a call of a hosted tool, or with its result. */
export const HOSTED_PARTS = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const
export type HostedPart = (typeof HOSTED_PARTS)[number]

/** Headgate's names of Google's hosted tools, by the names in calls, and by the fields of a request's tools. */
const CALLED: ReadonlyMap<string, string> = new Map([
  ['GOOGLE_SEARCH_WEB', 'web-search'],
  ['URL_CONTEXT', 'url-context'],
])
const DECLARED: ReadonlyMap<string, string> = new Map([
  ['googleSearch', 'web-search'],
  ['codeExecution', 'code-execution'],
  ['urlContext', 'url-context'],
])
const FIELDS: ReadonlyMap<string, string> = new Map([...DECLARED].map(([field, name]) => [name, field]))

/** Headgate's name for a field of `tools`. Undefined for unknown fields. */
export function hostedName(field: string): string | undefined {
  return DECLARED.get(field)
}

/** Vendor's field for a hosted tool. */
export function vendorField(name: string): string | undefined {
  return FIELDS.get(name)
}

/**
 * Successful outcome of executed code.
 * @see https://ai.google.dev/api/caching#Outcome
 */
const OK = 'OUTCOME_OK'

/**
 * Parts for code that another provider executed: the code, and its output if known. Undefined for calls of other tools.
 * @see https://ai.google.dev/gemini-api/docs/code-execution
 */
export function writeCode(block: HostedCallBlock): Json[] | undefined {
  const code = block.name === 'code-execution' ? text(parseArguments(block.arguments)?.['code']) : undefined
  if (code === undefined) return undefined
  const call: Json = { executableCode: { language: 'PYTHON', code } }
  return block.output === undefined ? [call] : [call, { codeExecutionResult: { outcome: OK, output: block.output } }]
}

/** Assigns ids to hosted calls and their results. A result belongs to the latest call. */
export type HostedIds = (isCall: boolean, id: string | undefined, fallback: string) => string

export function hostedIds(): HostedIds {
  let latest: string | undefined
  return (isCall, id, fallback) => {
    latest = id || (isCall ? fallback : (latest ?? fallback))
    return latest
  }
}

/**
 * Block for a part of a hosted tool. The part is preserved among the vendor extensions, since it must be sent back
 * unchanged.
 */
export function readHosted(
  part: Json,
  kind: HostedPart,
  fallback: string,
  ids: HostedIds,
  at?: string,
): HostedCallBlock | HostedResultBlock {
  const message = object(part[kind]) ?? {}
  const type = text(message['toolType']) ?? 'tool'
  const name =
    kind === 'executableCode' || kind === 'codeExecutionResult' ? 'code-execution' : (CALLED.get(type) ?? type)
  const isCall = kind === 'executableCode' || kind === 'toolCall'
  const node = { id: ids(isCall, text(message['id']), fallback), name, extensions: ownExtensions(ID, part) }
  if (isCall) {
    const args =
      kind === 'toolCall' ? (message['args'] ?? {}) : { language: message['language'], code: message['code'] }
    return { type: 'hosted-call', ...node, arguments: jsonText(args, at) }
  }
  const output = text(message['output'])
  const outcome = text(message['outcome'])
  const failed = outcome !== undefined && outcome !== OK
  return {
    type: 'hosted-result',
    ...node,
    ...(output !== undefined && { text: output }),
    ...(failed && { error: true }),
  }
}

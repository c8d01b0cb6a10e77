import { type Json, objects, text } from '../../canonical/json.ts'

/** Calls of the provider's own tools that one answer may take, at most. */
export interface Hosted {
  /** Infinity = nobody knows. */
  readonly calls: number
  /** Of these, searches. */
  readonly searches: number
}

/** Types of tools that the caller describes. */
const OWN: ReadonlySet<string | undefined> = new Set([undefined, 'custom', 'function'])
/** Tools of a vendor that run at the caller's: they end the answer. */
const CALLERS = /^(?:bash|text_editor|computer|memory)_/
const CALLERS_FIELDS: ReadonlySet<string> = new Set([...['functionDeclarations', 'function_declarations', 'computerUse', 'computer_use']])
const SEARCH = /search/i
/** Fields beside the tools that have a provider search, or call others. */
const SWITCHES = ['web_search_options', 'search_parameters', 'enable_search', 'plugins', 'mcp_servers'] as const

/** A hosted tool of a request. */
interface Tool {
  readonly name: string
  readonly most: unknown
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}

/** Whether a tool is a vendor's, which describes it to its model; of formats that name a tool's type. */
export function isVendors({ type }: Json): boolean {
  return !OWN.has(text(type))
}

function declared(tool: Json, format: string | undefined): Tool[] {
  if (format === 'generate-content')
    return Object.entries(tool).flatMap(([name, value]) => (CALLERS_FIELDS.has(name) || !isOn(value) ? [] : [{ name, most: undefined }]))
  const name = text(tool['type']) ?? ''
  return isVendors(tool) && !CALLERS.test(name) ? [{ name, most: tool['max_uses'] }] : []
}

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/**
 * The provider's own tools in a body. One that the request does not limit is called as often as the model's facts say (`hostedCalls`).
 * @param format id of the caller's format.
 */
export function hostedIn(json: Json, format: string | undefined, most = Number.POSITIVE_INFINITY): Hosted {
  const switched = SWITCHES.flatMap((name): Tool[] => (isOn(json[name]) ? [{ name: 'search', most: undefined }] : []))
  const tools = [...objects(json['tools']).flatMap((tool) => declared(tool, format)), ...switched]
  let calls = 0
  let searches = 0
  for (const tool of tools) {
    const limit = isLimit(tool.most) ? tool.most : most
    calls += limit
    if (SEARCH.test(tool.name)) searches += limit
  }
  return { calls, searches }
}

import type { HostedTool } from '../canonical/format.ts'
import { isObject, type Json, text } from '../canonical/json.ts'
import type { Loss } from '../canonical/loss.ts'
import type { ModelFacts } from '../canonical/target.ts'
import { wires } from './index.ts'
import { limitNamed } from './limits.ts'

/** Calls of the provider's own tools that one answer may take, at most. */
export interface Hosted {
  /** Infinity = nobody knows. */
  readonly calls: number
  /** Of these, searches. */
  readonly searches: number
}

/** What decides which hosted tools of a body run. */
export interface HostedFor {
  /** Id of the caller's format. */
  readonly format?: string
  readonly facts?: ModelFacts | undefined
  /** What does not reach the provider. */
  readonly losses?: readonly Loss[]
  /** The gateway searches the web itself: such tools do not run at the provider. */
  readonly searchedFor?: boolean
}

/** Types of tools that the caller describes. */
const OWN: ReadonlySet<string | undefined> = new Set([undefined, 'custom', 'function', 'namespace'])
/** Tools of a vendor that run at the caller's: they end the answer. */
const CALLERS = /^(?:bash|text_editor|computer|memory)_|^(?:computer|local_shell|apply_patch)$/
const SEARCH = /search/i
/** Fields beside the tools that have a provider search, or call others. */
const SWITCHES = ['web_search_options', 'search_parameters', 'enable_search', 'plugins', 'mcp_servers'] as const

function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}

/** Whether a tool is a vendor's, which describes it to its model; of formats that name a tool's type. */
export function isVendors({ type }: Json): boolean {
  return !OWN.has(text(type))
}

/** Some of the vendor's tools run where the request says. */
function isCallers(tool: Json): boolean {
  const { type, environment } = tool
  return (
    CALLERS.test(text(type) ?? '') || (type === 'shell' && (!isObject(environment) || environment['type'] === 'local'))
  )
}

/** The hosted tool that a tool with a type is. */
function typed(tool: Json, at: string): readonly HostedTool[] {
  if (Object.keys(tool).some(isTypesTwin)) return [{ name: 'search', at, most: undefined }]
  return isVendors(tool) && !isCallers(tool)
    ? [{ name: text(tool['type']) ?? '', at, most: limitNamed(tool, 'max_uses') }]
    : []
}

/** A server that ignores case may read it as the type of the tool, and search. */
function isTypesTwin(key: string): boolean {
  return key.length === 4 && key !== 'type' && key.toLowerCase() === 'type'
}

const NO_CALLS: Hosted = { calls: 0, searches: 0 }

/**
 * The provider's own tools in a body, but for those that do not reach it. One that the request does not limit is called
 * as often as the model's facts say (`hostedCalls`).
 */
export function hostedIn(json: Json, { format = '', facts, losses = [], searchedFor = false }: HostedFor): Hosted {
  const { declared = typed, together: field } = wires.get(format)?.hostedTools ?? {}
  const switched = SWITCHES.flatMap((name): HostedTool[] =>
    isOn(json[name]) ? [{ name: 'search', at: name, most: undefined }] : [],
  )
  const listed = Array.isArray(json['tools'])
    ? json['tools'].flatMap((tool, index) => (isObject(tool) ? declared(tool, `tools[${index}]`) : []))
    : []
  if (listed.length + switched.length === 0) return NO_CALLS
  const lost = new Set(losses.filter(({ kind }) => kind === 'dropped').map(({ path }) => path))
  const most = facts?.hostedCalls ?? Number.POSITIVE_INFINITY
  const together =
    (field !== undefined && !lost.has(field) ? limitNamed(json, field) : undefined) ?? Number.POSITIVE_INFINITY
  let calls = 0
  let searches = 0
  for (const tool of [...listed, ...switched]) {
    if (lost.has(tool.at) || (searchedFor && SEARCH.test(tool.name))) continue
    const limit = tool.most ?? Math.min(most, together)
    calls += limit
    if (SEARCH.test(tool.name)) searches += limit
  }
  return { calls: Math.min(calls, together), searches: Math.min(searches, together) }
}

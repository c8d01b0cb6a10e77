import type { HostedToolLimit } from '../canonical/format.ts'
import { isObject, type Json, text } from '../canonical/json.ts'
import type { Loss } from '../canonical/loss.ts'
import type { ModelFacts } from '../canonical/target.ts'
import { wires } from './index.ts'
import { limitNamed } from './limits.ts'

/** Maximum calls of hosted tools in one response. */
export interface Hosted {
  /** Infinity if unlimited or unknown. */
  readonly calls: number
  /** Calls that are searches; included in `calls`. */
  readonly searches: number
}

/** Conditions under which the hosted tools of a body run. */
export interface HostedFor {
  /** Id of the caller's format. */
  readonly format?: string
  readonly facts?: ModelFacts | undefined
  /** Losses of the request. Lost tools do not reach the provider. */
  readonly losses?: readonly Loss[]
  /** True if the gateway searches the web, so that the provider does not. */
  readonly searchedFor?: boolean
  /** True if the gateway makes the images, so that the provider does not. */
  readonly drawnFor?: boolean
}

/** Types of tools that the caller defines. */
const OWN: ReadonlySet<string | undefined> = new Set([undefined, 'custom', 'function', 'namespace'])
/** Vendor-defined tools that the caller runs. Their calls end the response. */
const CALLERS = /^(?:bash|text_editor|computer|memory)_|^(?:computer|local_shell|apply_patch)$/
const SEARCH = /search/i
const IMAGE = /^image_generation$/
/** Fields besides tools that enable search or calls to other services. */
const SWITCHES = ['web_search_options', 'search_parameters', 'enable_search', 'plugins', 'mcp_servers'] as const

function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}

/** True for a tool that its vendor defines, in formats whose tools have a type. */
export function isVendors({ type }: Json): boolean {
  return !OWN.has(text(type))
}

/** True for a vendor-defined tool that the caller runs. For some, the request decides. */
function isCallers(tool: Json): boolean {
  const { type, environment } = tool
  return (
    CALLERS.test(text(type) ?? '') || (type === 'shell' && (!isObject(environment) || environment['type'] === 'local'))
  )
}

/** Hosted tools in an item with a type. */
function typed(tool: Json, at: string): readonly HostedToolLimit[] {
  if (Object.keys(tool).some(isTypesTwin)) return [{ name: 'search', at, most: undefined }]
  return isVendors(tool) && !isCallers(tool)
    ? [{ name: text(tool['type']) ?? '', at, most: limitNamed(tool, 'max_uses') }]
    : []
}

/** True for another spelling of `type`. A server that ignores case may read it as the type, and search. */
function isTypesTwin(key: string): boolean {
  return key.length === 4 && key !== 'type' && key.toLowerCase() === 'type'
}

const NO_CALLS: Hosted = { calls: 0, searches: 0 }

/**
 * Hosted tools in a body, except lost ones. Tools without a limit in the request have the model's limit
 * (`hostedCalls`).
 */
export function hostedIn(
  json: Json,
  { format = '', facts, losses = [], searchedFor = false, drawnFor = false }: HostedFor,
): Hosted {
  const { declared = typed, together: field } = wires.get(format)?.hostedTools ?? {}
  const switched = SWITCHES.flatMap((name): HostedToolLimit[] =>
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
    if (lost.has(tool.at) || (searchedFor && SEARCH.test(tool.name)) || (drawnFor && IMAGE.test(tool.name))) continue
    const limit = tool.most ?? Math.min(most, together)
    calls += limit
    if (SEARCH.test(tool.name)) searches += limit
  }
  return { calls: Math.min(calls, together), searches: Math.min(searches, together) }
}

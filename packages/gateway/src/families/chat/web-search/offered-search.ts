import type { ChatRequest, HostedTool, ToolChoice } from '@headgate/core/canonical'
import { changed, dropped, isObject, type Json, type Loss, objects, text, under } from '@headgate/core/canonical'
import type { WebSearch } from '../../../serve/web-search.ts'

/** Executor of a request's web search tool. */
export type WebSearchMode = 'own' | 'provider' | 'off'

/** The gateway's web search, for requests that may need it. */
export interface GatewaySearch {
  readonly search: WebSearch
  readonly mode: Exclude<WebSearchMode, 'off'>
}

/** Web search tool of a request that the gateway runs. */
export interface OfferedSearch {
  /** The request with a function instead of the tool. */
  readonly request: ChatRequest
  /** Name of the function. */
  readonly name: string
  /** Maximum searches per response. */
  readonly most: number
  /** Maximum pages per search. */
  readonly count: number
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly country: string | undefined
  /** Options of the tool that the gateway's search does not support. */
  readonly losses: readonly Loss[]
}

/** Default maximum of searches per response. */
const MOST = 5
/** Absolute maximum of searches per response. */
const CEILING = 20
const PAGES = { low: 3, medium: 6, high: 10 } as const

const TYPE = /^web_search/
const FIELDS = ['googleSearch', 'google_search'] as const

/** True if a body may contain a web search tool. It must be fast, since it checks every body. */
export function maySearch(json: Json): boolean {
  if (isObject(json['web_search_options'])) return true
  if (!Array.isArray(json['tools'])) return false
  return objects(json['tools']).some(
    (tool) => TYPE.test(text(tool['type']) ?? '') || FIELDS.some((field) => isObject(tool[field])),
  )
}

const SCHEMA: Json = {
  type: 'object',
  properties: { query: { type: 'string', description: 'The search terms.' } },
  required: ['query'],
  additionalProperties: false,
}
const DESCRIPTION =
  'Searches the web. The results are numbered. When your answer uses information from a result, cite its number in brackets after it, such as [1].'

function isSearch(tool: { type: string; name: string }): tool is HostedTool {
  return tool.type === 'hosted' && tool.name === 'web-search'
}

function freeName(request: ChatRequest): string {
  const taken = new Set((request.tools ?? []).map(({ name }) => name))
  let name = 'web_search'
  for (let number = 2; taken.has(name); number++) name = `web_search_${number}`
  return name
}

function renamed(choice: ToolChoice | undefined, tool: HostedTool, name: string): ToolChoice | undefined {
  if (choice?.type === 'tool' && choice.name === tool.name) return { type: 'tool', name }
  if (choice?.type !== 'allowed') return choice
  return { ...choice, names: choice.names.map((one) => (one === tool.name ? name : one)) }
}

function limitOf(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : Number.POSITIVE_INFINITY
}

function lossesOf(tool: HostedTool): Loss[] {
  const losses: Loss[] = []
  const { city, region, timezone } = tool.location ?? {}
  if (city !== undefined || region !== undefined || timezone !== undefined)
    changed(losses, under(tool, 'user_location'), "the gateway's search supports only countries")
  for (const field of Object.keys(tool.extensions?.fields ?? {}))
    if (field !== 'type') dropped(losses, under(tool, field), "the gateway's search does not support this option")
  return losses
}

/**
 * The web search of a request. Undefined if it has none, forbids it or asks for several choices. `together` is the
 * maximum number of all hosted tool calls.
 */
export function offeredSearch(request: ChatRequest, together: unknown): OfferedSearch | undefined {
  const { tools = [], toolChoice: choice } = request
  const tool = tools.find(isSearch)
  if (!tool || choice?.type === 'none' || (request.n ?? 1) > 1) return undefined
  const name = freeName(request)
  const most = Math.min(tool.maxUses ?? MOST, limitOf(together), CEILING)
  const toolChoice = renamed(choice, tool, name)
  const { at, allowedDomains = [], blockedDomains = [], location, contextSize = 'medium' } = tool
  const own = {
    type: 'function',
    name,
    description: DESCRIPTION,
    schema: SCHEMA,
    ...(at !== undefined && { at }),
  } as const
  return {
    request: {
      ...request,
      tools: tools.filter((one) => one === tool || !isSearch(one)).map((one) => (one === tool ? own : one)),
      ...(toolChoice && { toolChoice }),
    },
    name,
    most,
    count: PAGES[contextSize],
    include: allowedDomains,
    exclude: blockedDomains,
    country: location?.country,
    losses: lossesOf(tool),
  }
}

import type { ChatRequest, HostedTool, ToolChoice } from '@headgate/core/canonical'
import { changed, dropped, isObject, type Json, type Loss, objects, text, under } from '@headgate/core/canonical'
import type { WebSearch } from '../../../serve/web-search.ts'

/** Who answers a web search that is among the tools of a request. */
export type WebSearchMode = 'own' | 'provider' | 'off'

/** The gateway's own search, for requests that may need it. */
export interface OwnSearch {
  readonly search: WebSearch
  readonly mode: Exclude<WebSearchMode, 'off'>
}

/** A web search that a request offers, as the gateway answers it itself. */
export interface Offered {
  /** The request with a function in place of the tool. */
  readonly request: ChatRequest
  /** Name of that function. */
  readonly name: string
  /** Most searches of one answer. */
  readonly most: number
  /** Most pages of one search. */
  readonly count: number
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly country: string | undefined
  /** What of the tool the gateway's search does not have. */
  readonly losses: readonly Loss[]
}

/** Searches of one answer, where the request does not limit them. */
const MOST = 5
/** More than so many are never made for one answer. */
const CEILING = 20
const PAGES = { low: 3, medium: 6, high: 10 } as const

const TYPE = /^web_search/
const FIELDS = ['googleSearch', 'google_search'] as const

/** Whether a body may offer a web search: cheap, as all bodies are asked. */
export function maySearch(json: Json): boolean {
  if (isObject(json['web_search_options'])) return true
  if (!Array.isArray(json['tools'])) return false
  return objects(json['tools']).some(
    (tool) => TYPE.test(text(tool['type']) ?? '') || FIELDS.some((field) => isObject(tool[field])),
  )
}

const SCHEMA: Json = {
  type: 'object',
  properties: { query: { type: 'string', description: 'The words to search for.' } },
  required: ['query'],
  additionalProperties: false,
}
const DESCRIPTION =
  'Searches the web. The results are numbered: where your answer says something that you have from a result, put its number behind it in brackets, such as [1].'

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
    changed(losses, under(tool, 'user_location'), 'the search of the gateway knows countries alone')
  for (const field of Object.keys(tool.side?.fields ?? {}))
    if (field !== 'type') dropped(losses, under(tool, field), 'the search of the gateway has no such option')
  return losses
}

/**
 * Undefined where the request offers none, forbids that it is called, or is for several answers. `together`: most calls
 * of all hosted tools.
 */
export function offeredIn(request: ChatRequest, together: unknown): Offered | undefined {
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

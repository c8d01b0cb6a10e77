import {
  type ChatRequest,
  callsOf,
  changed,
  checkChoice,
  customDescription,
  described,
  dropped,
  FREE_TEXT,
  fitToolNames,
  invalid,
  type Json,
  type Loss,
  leaveOut,
  losePrefill,
  permittedTools,
  type RequestField,
  restoreOf,
  sentName,
  type Target,
  type Tool,
  under,
  type WriteState,
  type WrittenRequest,
  writeExtensions,
} from '@headgate/core/codec'
import { ID, writeMessages } from './messages.ts'

const TOOL_NAME = { illegal: /[^a-zA-Z0-9_-]/g, max: 64 } as const

/** Fields that Cohere lacks. */
const ABSENT: readonly RequestField[] = [
  'logprobs',
  'logitBias',
  'verbosity',
  'user',
  'metadata',
  'serviceTier',
  'cache',
]

/** @throws HeadgateError `invalid-request` for options whose loss would change the meaning */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  const { paths, stream, maxTokens, seed } = request
  if (request.n !== undefined && request.n > 1)
    throw invalid(paths.n ?? 'n', 'Cohere returns one answer per request. Send the request several times.')
  for (const field of ABSENT)
    if (request[field] !== undefined) dropped(losses, paths[field] ?? field, 'Cohere has no such field')
  const context: WriteState = { request, target, losses, names: fitToolNames(request, TOOL_NAME, losses) }
  const tools = writeTools(context)
  const body: Json = {
    model: target.model,
    messages: writeMessages(context),
    ...(stream && { stream }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(seed !== undefined && { seed }),
    ...writeSampling(context),
    ...tools,
    ...writeOutput(context, 'tools' in tools),
    ...writeThinking(context),
  }
  writeExtensions(request, ID, body, losses)
  losePrefill(request, losses)
  const restore = restoreOf(request, context.names, { functionsOnly: true })
  return { body, ...(restore && { restore }) }
}

/** Fields with their minimum and maximum. */
const RANGES = [
  ['temperature', 'temperature', 0, 1],
  ['topP', 'p', 0.01, 0.99],
  ['topK', 'k', 0, 500],
  ['frequencyPenalty', 'frequency_penalty', 0, 1],
  ['presencePenalty', 'presence_penalty', 0, 1],
] as const

/** Maximum number of stop sequences. */
const MOST_STOPS = 5

function writeSampling({ request, losses }: WriteState): Json {
  const out: Json = {}
  for (const [field, name, least, most] of RANGES) {
    const value = request[field]
    // `p` of 1 is the default.
    if (value === undefined || (field === 'topP' && value === 1)) continue
    out[name] = Math.min(most, Math.max(least, value))
    if (out[name] !== value) changed(losses, request.paths[field] ?? field, `the range is ${least} to ${most}`)
  }
  const stop = request.stop?.filter((one) => one !== '') ?? []
  if (stop.length > MOST_STOPS)
    dropped(losses, `${request.paths.stop ?? 'stop'}[${MOST_STOPS}]`, 'the maximum is five stop sequences')
  if (stop.length > 0) out['stop_sequences'] = stop.slice(0, MOST_STOPS)
  return out
}

function writeTools(context: WriteState): Json {
  const { request, losses } = context
  const { toolChoice: choice, parallelTools, paths } = request
  checkChoice(request)
  if (parallelTools === false)
    dropped(losses, paths.parallelTools ?? 'parallel_tool_calls', 'parallel tool calls cannot be disabled')
  const permitted = permittedTools(request)
  // Cohere cannot force a named tool: only this tool is offered.
  const offered = choice?.type === 'tool' ? permitted.filter((tool) => tool.name === choice.name) : permitted
  const tools = offered.flatMap((tool) => writeTool(context, tool))
  const isOff = choice?.type === 'none' || tools.length === 0
  if (tools.length === 0)
    for (const name of new Set(callsOf(request).map((call) => sentName(context, call.name))))
      tools.push(placeholder(name))
  if (tools.length === 0) return {}
  const isForced =
    choice?.type === 'required' || choice?.type === 'tool' || (choice?.type === 'allowed' && choice.required)
  const strict = offered.filter((tool) => tool.type === 'function' && tool.strict === true)
  for (const tool of strict.length < offered.length ? strict : [])
    changed(losses, under(tool, 'strict'), 'it applies to all tools')
  return {
    tools,
    ...(isForced && { tool_choice: 'REQUIRED' }),
    ...(isOff && { tool_choice: 'NONE' }),
    ...(strict.length > 0 && { strict_tools: true }),
  }
}

function placeholder(name: string): Json {
  return { type: 'function', function: { name, parameters: { type: 'object' } } }
}

function writeTool(context: WriteState, tool: Tool): Json[] {
  if (tool.type === 'hosted') {
    leaveOut(tool, context.request, context.losses)
    return []
  }
  writeExtensions(tool, ID, {}, context.losses)
  if (tool.type === 'function' && tool.cache)
    dropped(context.losses, under(tool, 'cache_control'), 'cache marks are not supported')
  const parameters = tool.type === 'custom' ? FREE_TEXT : (tool.schema ?? { type: 'object' })
  const description = tool.type === 'custom' ? customDescription(tool, context.losses) : tool.description
  return [
    {
      type: 'function',
      function: { name: sentName(context, tool.name), ...(description !== undefined && { description }), parameters },
    },
  ]
}

function writeOutput({ request, losses }: WriteState, hasTools: boolean): Json {
  const { output, paths } = request
  if (!output || output.type === 'text') return {}
  const path = paths.output ?? 'response_format'
  if (hasTools) {
    dropped(losses, path, 'it cannot be combined with tools')
    return {}
  }
  if (output.type === 'json') return { response_format: { type: 'json_object' } }
  return { response_format: { type: 'json_object', json_schema: described(output, path, losses) } }
}

/** Reasoning budgets, in tokens, by effort. */
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 30_000,
}

function writeThinking({ request, target, losses }: WriteState): Json {
  const { reasoning, paths } = request
  if (!reasoning) return {}
  const { effort, budget, adaptive } = reasoning
  const path = paths.reasoning ?? 'reasoning'
  const isOff = effort === 'none' || budget === 0
  if (isOff || (effort === undefined && budget === undefined && !adaptive))
    return isOff && target.limits?.reasoning ? { thinking: { type: 'disabled' } } : {}
  if (!/reasoning|plus|^north/.test(target.model) && target.limits?.reasoning !== true) {
    dropped(losses, path, 'the model is not known to support reasoning')
    return {}
  }
  const tokens = budget !== undefined && budget > 0 ? budget : effort === undefined ? undefined : BUDGETS[effort]
  if (effort !== undefined) changed(losses, path, 'a token budget replaces the effort')
  return { thinking: { type: 'enabled', ...(tokens !== undefined && { token_budget: tokens }) } }
}

import {
  type ChatRequest,
  callsOf,
  checkChoice,
  customDescription,
  described,
  dropped,
  FREE_TEXT,
  invalid,
  type Json,
  type Loss,
  leaveOut,
  nearestEffort,
  permittedTools,
  type RequestField,
  restoreOf,
  type Target,
  type Tool,
  under,
  type WriteState,
  type WrittenRequest,
  writeExtensions,
} from '@headgate/core/codec'
import { ID, writeMessages } from './messages.ts'

/** Fields that Ollama lacks. */
const ABSENT: readonly RequestField[] = ['logitBias', 'verbosity', 'user', 'metadata', 'serviceTier', 'cache']

/** @throws HeadgateError `invalid-request` for options whose loss would change the meaning */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  const { paths, stream, logprobs } = request
  if (request.n !== undefined && request.n > 1)
    throw invalid(paths.n ?? 'n', 'Ollama returns one answer per request. Send the request several times.')
  for (const field of ABSENT)
    if (request[field] !== undefined) dropped(losses, paths[field] ?? field, 'Ollama has no such field')
  const names = new Map<string, string>()
  const context: WriteState = { request, target, losses, names }
  const options = writeOptions(request)
  const body: Json = {
    model: target.model,
    messages: writeMessages(context, new Map(callsOf(request).map(({ id, name }) => [id, name]))),
    // The vendor's default is a stream.
    stream,
    ...writeTools(context),
    ...writeOutput(context),
    ...writeThinking(context),
    ...(logprobs && { logprobs: true, ...(logprobs.top > 0 && { top_logprobs: logprobs.top }) }),
    ...(Object.keys(options).length > 0 && { options }),
  }
  writeExtensions(request, ID, body, losses)
  const restore = restoreOf(request, names, { functionsOnly: true })
  return { body, ...(restore && { restore }) }
}

const OPTIONS = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  maxTokens: 'num_predict',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const

function writeOptions(request: ChatRequest): Json {
  const out: Json = {}
  for (const [field, name] of Object.entries(OPTIONS)) {
    const value = request[field as keyof typeof OPTIONS]
    if (value !== undefined) out[name] = value
  }
  const stop = request.stop?.filter((one) => one !== '') ?? []
  if (stop.length > 0) out['stop'] = stop
  return out
}

/** Calls cannot be forced. Tools that must not be called are not offered. */
function writeTools(context: WriteState): Json {
  const { request, losses } = context
  const { toolChoice: choice, parallelTools, paths } = request
  checkChoice(request)
  if (parallelTools === false)
    dropped(losses, paths.parallelTools ?? 'parallel_tool_calls', 'parallel tool calls cannot be disabled')
  const permitted = permittedTools(request)
  const offered = choice?.type === 'tool' ? permitted.filter((tool) => tool.name === choice.name) : permitted
  const isForced =
    choice?.type === 'required' || choice?.type === 'tool' || (choice?.type === 'allowed' && choice.required)
  const tools = offered.flatMap((tool) => writeTool(context, tool))
  if (isForced) dropped(losses, paths.toolChoice ?? 'tool_choice', 'calls cannot be forced')
  return tools.length === 0 || choice?.type === 'none' ? {} : { tools }
}

function writeTool(context: WriteState, tool: Tool): Json[] {
  const { losses } = context
  if (tool.type === 'hosted') {
    leaveOut(tool, context.request, losses)
    return []
  }
  writeExtensions(tool, ID, {}, losses)
  if (tool.type === 'function' && tool.cache)
    dropped(losses, under(tool, 'cache_control'), 'cache marks are not supported')
  if (tool.type === 'function' && tool.strict)
    dropped(losses, tool.strictAt ?? under(tool, 'strict'), 'tool schemas are not enforced')
  const parameters = tool.type === 'custom' ? FREE_TEXT : (tool.schema ?? { type: 'object', properties: {} })
  const { name } = tool
  const description = tool.type === 'custom' ? customDescription(tool, losses) : tool.description
  return [{ type: 'function', function: { name, ...(description !== undefined && { description }), parameters } }]
}

function writeOutput({ request: { output, paths }, losses }: WriteState): Json {
  if (!output || output.type === 'text') return {}
  return { format: output.type === 'json' ? 'json' : described(output, paths.output ?? 'response_format', losses) }
}

const LEVELS = ['low', 'medium', 'high'] as const

/** Reasoning is on by default for models that support it. Only gpt-oss has an effort. */
function writeThinking({ request: { reasoning, paths }, target, losses }: WriteState): Json {
  const { effort, budget } = reasoning ?? {}
  if (effort === 'none' || budget === 0) return { think: false }
  if (effort === undefined && (budget === undefined || budget < 0)) return {}
  const path = paths.reasoning ?? 'reasoning'
  if (target.limits?.reasoning === false) {
    dropped(losses, path, 'the model does not support reasoning')
    return {}
  }
  if (effort === undefined) dropped(losses, path, 'reasoning cannot be limited')
  else if (/gpt-oss/.test(target.model)) return { think: nearestEffort(effort, LEVELS) }
  else dropped(losses, path, 'reasoning is either on or off')
  return { think: true }
}

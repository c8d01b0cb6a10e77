import type { WrittenRequest } from '../../canonical/format.ts'
import { isObject, type Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss } from '../../canonical/loss.ts'
import type { ChatRequest, RequestField } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { restoreOf } from '../../canonical/tools.ts'
import { refuseForeign, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { writeSystem } from './blocks-write.ts'
import { writeEffort } from './effort.ts'
import { outputLimit } from './models.ts'
import { type OutputPlan, planOutput } from './output.ts'
import { type WrittenMessagesTools, writeTools } from './tools-write.ts'
import { type RoleConversation, turnsOf } from './turns.ts'
import { lostReasoning, writeTurns } from './turns-write.ts'
import { ID } from './wire.ts'
import { limitMarks, type MessagesWriteState, messagesWriteState, putCacheControl } from './write-state.ts'

/** Fields that this format does not have. */
const ABSENT: readonly RequestField[] = [
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logprobs',
  'logitBias',
  'verbosity',
  'metadata',
]

/**
 * Request for a model with this format.
 * @throws HeadgateError of kind `invalid-request` for fields whose loss would change the meaning.
 */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  refuseForeign(request, ID)
  if (request.n !== undefined && request.n > 1) {
    throw invalid(
      request.paths.n ?? 'n',
      'Models with the messages format create only one choice per request. Send the request several times.',
    )
  }
  for (const field of ABSENT)
    if (request[field] !== undefined)
      dropped(losses, request.paths[field] ?? field, 'the messages format has no such field')
  const context = messagesWriteState(request, target, losses)
  const plan = planOutput(context)
  const tools = writeTools(context, plan.tool)
  const conversation = turnsOf(context)
  const body: Json = {
    model: target.model,
    max_tokens: writeMaxTokens(context),
    ...writePrompt(context, conversation, plan),
  }
  if (tools.tools.length > 0) body['tools'] = tools.tools
  if (tools.choice) body['tool_choice'] = tools.choice
  putThinking(context, body, conversation, tools)
  if (plan.format)
    body['output_config'] = { ...(isObject(body['output_config']) && body['output_config']), format: plan.format }
  putSampling(context, body)
  putRest(context, body)
  writeExtensions(request, ID, body, losses)
  capEffort(context, body)
  limitMarks(context, body['cache_control'] ? 1 : 0)
  const restore = restoreOf(request, context.names, { functionsOnly: true, outputTool: plan.tool?.name })
  return { body, ...(restore && { restore }) }
}

function writeMaxTokens({ request, target, losses }: MessagesWriteState): number {
  const limit = target.limits?.output
  if (request.maxTokens === undefined) return outputLimit(target)
  if (limit === undefined || request.maxTokens <= limit) return request.maxTokens
  changed(losses, request.paths.maxTokens ?? 'max_tokens', 'it exceeds the limit of the model, so the limit is sent')
  return limit
}

function writePrompt(context: MessagesWriteState, { system, turns }: RoleConversation, plan: OutputPlan): Json {
  const blocks = writeSystem(context, system)
  if (plan.hint !== undefined) blocks.push({ type: 'text', text: plan.hint })
  const messages = writeTurns(context, turns)
  if (blocks.length === 0) return { messages }
  const plain = context.target.facts?.plainSystem
  return { system: plain ? blocks.map((block) => block['text']).join('\n\n') : blocks, messages }
}

function putThinking(
  context: MessagesWriteState,
  body: Json,
  conversation: RoleConversation,
  tools: WrittenMessagesTools,
): void {
  const { request, losses } = context
  const most = Number(body['max_tokens'])
  const blocked = tools.forced ? 'thinking cannot be combined with a forced tool call' : undefined
  const { thinking, effort } = writeEffort(context, most, blocked)
  const lost = thinking?.['type'] === 'enabled' && lostReasoning(context, conversation.turns)
  if (lost)
    dropped(
      losses,
      request.paths.reasoning ?? 'thinking',
      'the reasoning before the last tool call is missing, so the model cannot continue thinking',
    )
  if (thinking) body['thinking'] = lost ? { type: 'disabled' } : thinking
  if (effort !== undefined) body['output_config'] = { effort }
}

/** Writes sampling parameters. New models reject them, and all models reject them with thinking. */
function putSampling({ request, model, losses }: MessagesWriteState, body: Json): void {
  const { temperature, topP, topK, paths } = request
  const active = isObject(body['thinking']) && body['thinking']['type'] !== 'disabled'
  const refused = !model.sampling
    ? 'the model does not support sampling parameters'
    : active
      ? 'it cannot be combined with thinking'
      : undefined
  if (refused !== undefined) {
    // 1 is the vendor's default.
    if (temperature !== undefined && temperature !== 1) dropped(losses, paths.temperature ?? 'temperature', refused)
    if (topP !== undefined && topP !== 1) dropped(losses, paths.topP ?? 'top_p', refused)
    if (topK !== undefined) dropped(losses, paths.topK ?? 'top_k', refused)
    return
  }
  if (temperature !== undefined) {
    body['temperature'] = Math.min(1, Math.max(0, temperature))
    if (body['temperature'] !== temperature) changed(losses, paths.temperature ?? 'temperature', 'the range is 0 to 1')
  }
  if (topP !== undefined && temperature === undefined) body['top_p'] = topP
  else if (topP !== undefined && topP !== 1)
    dropped(losses, paths.topP ?? 'top_p', 'temperature and top_p cannot be combined')
  if (topK !== undefined) body['top_k'] = topK
}

function putRest(context: MessagesWriteState, body: Json): void {
  const { request, losses } = context
  const { paths } = request
  const stop = request.stop?.filter((sequence) => sequence.trim() !== '') ?? []
  if (request.stop && stop.length < request.stop.length)
    dropped(losses, paths.stop ?? 'stop_sequences', 'the vendor rejects stop sequences of whitespace')
  if (stop.length > 0) body['stop_sequences'] = stop
  if (request.user !== undefined) body['metadata'] = { user_id: request.user }
  putCacheControl(context, request.cache, paths.cache ?? 'cache_control', body)
  if (request.serviceTier === 'auto') body['service_tier'] = 'auto'
  else if (request.serviceTier === 'default') body['service_tier'] = 'standard_only'
  else if (request.serviceTier !== undefined)
    dropped(losses, paths.serviceTier ?? 'service_tier', 'the vendor has no such tier')
  if (request.stream) body['stream'] = true
}

/** Limits the effort, since some models reject the highest efforts without thinking. */
function capEffort({ model, losses }: MessagesWriteState, body: Json): void {
  const { thinking, output_config: config } = body
  if (!isObject(thinking) || !isObject(config) || (config['effort'] !== 'xhigh' && config['effort'] !== 'max')) return
  const off = thinking['type'] === 'between_tools' || (thinking['type'] === 'disabled' && model.off !== 'disabled')
  if (!off) return
  body['output_config'] = { ...config, effort: 'high' }
  changed(losses, 'output_config.effort', 'the highest effort without thinking')
}

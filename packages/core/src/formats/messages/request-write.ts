import type { Restore, WrittenRequest } from '../../chat/format.ts'
import { isObject, type Json } from '../../chat/json.ts'
import { changed, dropped, type Loss } from '../../chat/loss.ts'
import { invert } from '../../chat/names.ts'
import type { ChatRequest, RequestField } from '../../chat/request.ts'
import type { Target } from '../../chat/target.ts'
import { invalid } from '../../errors.ts'
import { writeSystem } from './content-write.ts'
import { lostReasoning, writeConversation } from './conversation-write.ts'
import { cacheControl, type Draft, limitMarks } from './draft.ts'
import { generation, outputLimit } from './models.ts'
import { type OutputPlan, planOutput } from './output-write.ts'
import { writeReasoning } from './reasoning-write.ts'
import { mergeSide } from './side.ts'
import { toolNames, type WrittenTools, writeTools } from './tools-write.ts'
import { type Conversation, turnsOf } from './turns.ts'

/** Fields without a place in this format. */
const ABSENT: readonly RequestField[] = ['seed', 'presencePenalty', 'frequencyPenalty', 'logprobs', 'logitBias', 'verbosity', 'metadata']

/**
 * The request for a model behind this format.
 *
 * @throws HeadgateError `invalid-request` for what would change the meaning if it were lost.
 */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  if (request.n !== undefined && request.n > 1) {
    throw invalid(request.paths.n ?? 'n', 'Models behind the messages format give one answer a request. Send the request several times.')
  }
  for (const field of ABSENT)
    if (request[field] !== undefined) dropped(losses, request.paths[field] ?? field, 'the messages format has no such field')
  const draft: Draft = { target, model: generation(target), losses, names: toolNames(request), marks: [] }
  const plan = planOutput(request, draft)
  const tools = writeTools(request, plan.tool, draft)
  const conversation = turnsOf(request, draft)
  const body: Json = { model: target.model, max_tokens: writeMaxTokens(request, draft), ...writePrompt(conversation, plan, draft) }
  if (tools.tools.length > 0) body['tools'] = tools.tools
  if (tools.choice) body['tool_choice'] = tools.choice
  writeThinking(body, request, conversation, tools, draft)
  if (plan.format) body['output_config'] = { ...(isObject(body['output_config']) && body['output_config']), format: plan.format }
  writeSampling(body, request, draft)
  writeRest(body, request, losses)
  mergeSide(request, body, losses)
  capEffort(body, draft)
  limitMarks(draft, body['cache_control'] ? 1 : 0)
  const restore = restoreOf(request, plan, draft)
  return { body, ...(restore && { restore }) }
}

function writeMaxTokens(request: ChatRequest, draft: Draft): number {
  const limit = draft.target.limits?.output
  if (request.maxTokens === undefined) return outputLimit(draft.target)
  if (limit === undefined || request.maxTokens <= limit) return request.maxTokens
  changed(draft.losses, request.paths.maxTokens ?? 'max_tokens', 'more than the model can write: its limit is sent')
  return limit
}

function writePrompt({ system, turns }: Conversation, plan: OutputPlan, draft: Draft): Json {
  const blocks = writeSystem(system, draft)
  if (plan.hint !== undefined) blocks.push({ type: 'text', text: plan.hint })
  const messages = writeConversation(turns, draft)
  if (blocks.length === 0) return { messages }
  const plain = draft.target.facts?.plainSystem
  return { system: plain ? blocks.map((block) => block['text']).join('\n\n') : blocks, messages }
}

function writeThinking(body: Json, request: ChatRequest, conversation: Conversation, tools: WrittenTools, draft: Draft): void {
  const most = Number(body['max_tokens'])
  const blocked = tools.forced ? 'thinking does not go with a forced tool call' : undefined
  const { thinking, effort } = writeReasoning(request, most, blocked, draft)
  const lost = thinking?.['type'] === 'enabled' && lostReasoning(conversation.turns, draft)
  if (lost)
    dropped(
      draft.losses,
      request.paths.reasoning ?? 'thinking',
      'the thoughts before the last tool call are missing, so it can not go on thinking',
    )
  if (thinking) body['thinking'] = lost ? { type: 'disabled' } : thinking
  if (effort !== undefined) body['output_config'] = { effort }
}

/** Old models take sampling parameters, new ones refuse them; thinking refuses them everywhere. */
function writeSampling(body: Json, request: ChatRequest, draft: Draft): void {
  const { temperature, topP, topK, paths } = request
  const active = isObject(body['thinking']) && body['thinking']['type'] !== 'disabled'
  const refused = !draft.model.sampling ? 'the model does not take sampling parameters' : active ? 'not while the model thinks' : undefined
  if (refused !== undefined) {
    // 1 is what the vendor does anyway.
    if (temperature !== undefined && temperature !== 1) dropped(draft.losses, paths.temperature ?? 'temperature', refused)
    if (topP !== undefined && topP !== 1) dropped(draft.losses, paths.topP ?? 'top_p', refused)
    if (topK !== undefined) dropped(draft.losses, paths.topK ?? 'top_k', refused)
    return
  }
  if (temperature !== undefined) {
    body['temperature'] = Math.min(1, Math.max(0, temperature))
    if (body['temperature'] !== temperature) changed(draft.losses, paths.temperature ?? 'temperature', 'the range is 0 to 1')
  }
  if (topP !== undefined && temperature === undefined) body['top_p'] = topP
  else if (topP !== undefined && topP !== 1) dropped(draft.losses, paths.topP ?? 'top_p', 'temperature and top_p do not go together')
  if (topK !== undefined) body['top_k'] = topK
}

function writeRest(body: Json, request: ChatRequest, losses: Loss[]): void {
  const { paths } = request
  const stop = request.stop?.filter((sequence) => sequence.trim() !== '') ?? []
  if (request.stop && stop.length < request.stop.length)
    dropped(losses, paths.stop ?? 'stop_sequences', 'stop sequences of white space are refused')
  if (stop.length > 0) body['stop_sequences'] = stop
  if (request.user !== undefined) body['metadata'] = { user_id: request.user }
  if (request.cache) body['cache_control'] = cacheControl(request.cache, paths.cache ?? 'cache_control', losses)
  if (request.serviceTier === 'auto') body['service_tier'] = 'auto'
  else if (request.serviceTier === 'default') body['service_tier'] = 'standard_only'
  else if (request.serviceTier !== undefined) dropped(losses, paths.serviceTier ?? 'service_tier', 'the provider has no such tier')
  if (request.stream) body['stream'] = true
}

/** Some models refuse the highest efforts while thinking is off. */
function capEffort(body: Json, draft: Draft): void {
  const { thinking, output_config: config } = body
  if (!isObject(thinking) || !isObject(config) || (config['effort'] !== 'xhigh' && config['effort'] !== 'max')) return
  const off = thinking['type'] === 'between_tools' || (thinking['type'] === 'disabled' && draft.model.off !== 'disabled')
  if (!off) return
  body['output_config'] = { ...config, effort: 'high' }
  changed(draft.losses, 'output_config.effort', 'the highest effort that goes without thinking')
}

function restoreOf(request: ChatRequest, plan: OutputPlan, draft: Draft): Restore | undefined {
  const names = invert(draft.names)
  const custom = new Set(request.tools?.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])))
  const restore: Restore = {
    ...(names.size > 0 && { names }),
    ...(custom.size > 0 && { custom }),
    ...(plan.tool && { outputTool: plan.tool.name }),
  }
  return Object.keys(restore).length > 0 ? restore : undefined
}

import type { WrittenRequest } from '../../chat/format.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, type Loss } from '../../chat/loss.ts'
import { fitNames, invert } from '../../chat/names.ts'
import type { ChatRequest, Effort, OutputFormat } from '../../chat/request.ts'
import type { Target } from '../../chat/target.ts'
import { invalid } from '../../errors.ts'
import { writeMessages } from './messages-write.ts'
import { generationOf, maxTokensField, nearestEffort, refusesSampling } from './models.ts'
import { NUMBERS } from './request-read.ts'
import { putSide } from './side.ts'
import { isStrict, writeTools } from './tools-write.ts'
import { TOOL_NAME } from './wire.ts'
import { type Writing, writing } from './writing.ts'

/** Writes a request. A caller of this format has names, ids, effort and schemas sent as they are. */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  const context = writing(request, target, losses)
  const body: Json = { model: target.model, messages: writeMessages(context) }
  if (request.stream) putStream(context, body)
  putMaxTokens(context, body)
  const effort = putReasoning(context, body)
  putSampling(context, body, effort)
  putStop(context, body)
  writeTools(context, body)
  if (request.output) putOutput(context, request.output, body)
  if (request.verbosity) body['verbosity'] = request.verbosity
  putHints(context, body)
  putSide(request, body, losses)
  const names = invert(context.names)
  return names.size === 0 ? { body } : { body, restore: { names } }
}

function putStream({ target }: Writing, body: Json): void {
  body['stream'] = true
  if ((target.facts?.usageInStream ?? 'asked') === 'asked') body['stream_options'] = { include_usage: true }
}

function putMaxTokens({ request, target }: Writing, body: Json): void {
  if (request.maxTokens === undefined) return
  const path = request.paths.maxTokens ?? 'max_tokens'
  if (request.maxTokens < 1)
    throw invalid(path, `${path} is ${request.maxTokens}, and this model has to write at least one token. Send 1 or more.`)
  body[maxTokensField(target)] = request.maxTokens
}

/** Tokens of thinking up to which an effort goes; the thresholds are ours, as no vendor names any. */
const BUDGETS: readonly (readonly [number, Effort])[] = [
  [0, 'none'],
  [1024, 'minimal'],
  [4096, 'low'],
  [16_384, 'medium'],
]

function effortOf(reasoning: NonNullable<ChatRequest['reasoning']>): Effort | undefined {
  if (reasoning.effort) return reasoning.effort
  if (reasoning.budget !== undefined && reasoning.budget >= 0) {
    const { budget } = reasoning
    return BUDGETS.find(([limit]) => budget <= limit)?.[1] ?? 'high'
  }
  return reasoning.adaptive ? 'medium' : undefined
}

/** Writes the effort and tells which one it is. */
function putReasoning({ request, target, own, losses }: Writing, body: Json): Effort | undefined {
  const path = request.paths.reasoning
  if (request.reasoning?.show && !own) dropped(losses, `${path}.show`, 'whether reasoning is shown is up to the provider')
  const asked = request.reasoning && effortOf(request.reasoning)
  if (!asked) return undefined
  const refused = target.limits?.reasoning === false
  const effort = own ? asked : refused ? undefined : nearestEffort(target.model, asked)
  if (effort === undefined) {
    if (asked !== 'none' || !refused) dropped(losses, path, 'the model has no such setting')
    return undefined
  }
  if (effort !== asked || request.reasoning?.budget !== undefined) changed(losses, path, 'the nearest effort that the model knows')
  body['reasoning_effort'] = effort
  return effort
}

/** Values that mean what the vendor does without them. */
const DEFAULTS: Readonly<Record<string, number>> = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 }

function putSampling({ request, target, own, losses }: Writing, body: Json, effort: Effort | undefined): void {
  const refused = refusesSampling(target, effort)
  for (const [key, field] of NUMBERS) {
    const value = request[field]
    if (value === undefined) continue
    if (refused && key in DEFAULTS) {
      if (value !== DEFAULTS[key]) dropped(losses, request.paths[field], 'the model does not take it')
    } else if (key === 'top_k' && !own) dropped(losses, request.paths.topK, 'there is no such field')
    else body[key] = value
  }
  if (request.logprobs) {
    if (refused) dropped(losses, request.paths.logprobs, 'the model does not take it')
    else Object.assign(body, { logprobs: true }, request.logprobs.top > 0 ? { top_logprobs: request.logprobs.top } : {})
  }
  if (request.logitBias) {
    if (refused) dropped(losses, request.paths.logitBias, 'the model does not take it')
    else body['logit_bias'] = request.logitBias
  }
}

const MOST_STOPS = 4

function putStop({ request, target, own, losses }: Writing, body: Json): void {
  const { stop, paths } = request
  if (!stop || stop.length === 0) return
  if (!own && generationOf(target.model).noStop) {
    dropped(losses, paths.stop, 'the model does not take it')
    return
  }
  if (!own && stop.length > MOST_STOPS) changed(losses, paths.stop, `at most ${MOST_STOPS} stop sequences`)
  body['stop'] = own ? stop : stop.slice(0, MOST_STOPS)
}

function putOutput({ request, own, losses }: Writing, output: OutputFormat, body: Json): void {
  if (output.type === 'text') {
    if (own) body['response_format'] = { type: 'text' }
    return
  }
  if (output.type === 'json') {
    body['response_format'] = { type: 'json_object' }
    if (!own) askForJson(body, request, losses)
    return
  }
  const { name = 'response', description, schema } = output
  const strict = own ? output.strict : strictness(output, request, losses)
  body['response_format'] = {
    type: 'json_schema',
    json_schema: {
      name: own ? name : (fitNames([name], TOOL_NAME).get(name) ?? name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(strict === undefined ? {} : { strict }),
    },
  }
}

/** Strict wherever the schema allows it, as other vendors always are; making it allow it would make optional fields required. */
function strictness(output: OutputFormat & { type: 'schema' }, request: ChatRequest, losses: Loss[]): boolean | undefined {
  if (isStrict(output.schema)) return output.strict ?? true
  if (output.strict) changed(losses, request.paths.output, 'the schema has optional fields, which strict mode does not take')
  return output.strict ? undefined : output.strict
}

/** The vendor refuses `json_object` unless a message says the word. */
function askForJson(body: Json, request: ChatRequest, losses: Loss[]): void {
  const messages = body['messages']
  if (!Array.isArray(messages) || /json/i.test(JSON.stringify(messages))) return
  messages.unshift({ role: 'system', content: 'Answer in JSON.' })
  changed(losses, request.paths.output, 'asked for in a system message as well')
}

const TIERS: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])
const USER = { illegal: /[^\x20-\x7e]/g, max: 64 } as const

function putHints({ request, target, own, losses }: Writing, body: Json): void {
  const { paths } = request
  if (request.user !== undefined) {
    const user = own ? request.user : (fitNames([request.user], USER).get(request.user) ?? request.user)
    if (user !== request.user) changed(losses, paths.user, 'at most 64 characters')
    body[own && paths.user === 'safety_identifier' ? 'safety_identifier' : 'user'] = user
  }
  if (request.metadata) {
    if (own) body['metadata'] = request.metadata
    else dropped(losses, paths.metadata, 'metadata is taken with stored answers only')
  }
  if (request.serviceTier !== undefined) {
    if (own || TIERS.has(request.serviceTier)) body['service_tier'] = request.serviceTier
    else dropped(losses, paths.serviceTier, 'there is no such tier')
  }
  if (!request.cache) return
  const { ttl } = request.cache
  if (own || target.signer === 'claude') body['cache_control'] = { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) }
  else dropped(losses, paths.cache, 'the model has no marks for its cache')
}

import type { WrittenRequest } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, type Loss } from '../../canonical/loss.ts'
import { fitNames } from '../../canonical/names.ts'
import type { ChatRequest, Effort, OutputFormat, Reasoning, RequestField } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { restoreOf } from '../../canonical/tools.ts'
import { losePrefill } from '../../canonical/turns.ts'
import { refuseForeign, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { effortFor } from '../chat-completions/effort.ts'
import { isVendorModel, refusesSampling } from '../chat-completions/models.ts'
import { saysJson, strictness, TIERS, USER, wrapsOutput } from '../chat-completions/request-write.ts'
import { wrapped } from '../chat-completions/schema.ts'
import { TOOL_NAME } from '../chat-completions/wire.ts'
import { isSharedHint, putSharedHints, sharedHints } from '../openai-hints.ts'
import { LEAST_TOKENS } from './output-limit.ts'
import { ENCRYPTED, LOGPROBS } from './request-read.ts'
import { writeTools } from './tools-write.ts'
import { writeTurns } from './turns-write.ts'
import { ID } from './wire.ts'
import { type ResponsesWriteState, responsesWriteState } from './write-state.ts'

/** Fields that this format does not have. */
const ABSENT: readonly RequestField[] = [
  'topK',
  'stop',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
  'cache',
]

/**
 * Writes a request. Names, ids, effort and schemas of callers of this format stay unchanged. For other callers, the
 * provider stores nothing, so reasoning must be encrypted.
 * @throws HeadgateError of kind `invalid-request` for fields whose loss would change the meaning.
 */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  refuseForeign(request, ID)
  if (request.n !== undefined && request.n > 1)
    throw invalid(
      request.paths.n ?? 'n',
      'The responses format creates only one choice per request. Send the request several times.',
    )
  for (const field of ABSENT)
    if (request[field] !== undefined)
      dropped(losses, request.paths[field] ?? field, 'the responses format has no such field')
  const context = responsesWriteState(request, target, losses)
  const body: Json = { model: target.model, ...writeTurns(context) }
  if (request.stream) body['stream'] = true
  if (!context.own) body['store'] = false
  putSettings(context, body)
  writeExtensions(request, ID, body, losses, (key) => isSharedHint(request, key))
  losePrefill(request, losses)
  const restore = restoreOf(request, context.names, { wrapped: context.wrapped, wrapsOutput: wrapsOutput(context) })
  return restore ? { body, restore } : { body }
}

/** Writes the settings that a response repeats. */
export function putSettings(context: ResponsesWriteState, body: Json): void {
  putMaxTokens(context, body)
  const effort = putReasoning(context, body)
  const logprobs = putSampling(context, body, effort)
  putInclude(context, body, logprobs)
  writeTools(context, body)
  putText(context, body)
  putHints(context, body)
}

function putMaxTokens({ request, own, model, losses }: ResponsesWriteState, body: Json): void {
  const { maxTokens } = request
  if (maxTokens === undefined) return
  const path = request.paths.maxTokens ?? 'max_output_tokens'
  if (maxTokens < 1)
    throw invalid(path, `${path} is ${maxTokens}, but this model must generate at least one token. Send 1 or more.`)
  const raised = !own && isVendorModel(model) && maxTokens < LEAST_TOKENS
  if (raised) changed(losses, path, `the vendor requires ${LEAST_TOKENS} or more`)
  body['max_output_tokens'] = raised ? LEAST_TOKENS : maxTokens
}

function putReasoning(context: ResponsesWriteState, body: Json): Effort | undefined {
  const effort = effortFor(context)
  const { own, request } = context
  const shown = request.reasoning?.show ?? (own ? undefined : awaitsThoughts(request.reasoning))
  const reasoning: Json = {
    ...(effort !== undefined && { effort }),
    ...(shown && (own || canReason(context)) && { summary: 'auto' }),
  }
  if (shown && !own && !canReason(context))
    dropped(context.losses, `${request.paths.reasoning}.show`, 'the model does not support reasoning')
  if (Object.keys(reasoning).length > 0) body['reasoning'] = reasoning
  return effort
}

/**
 * True if the caller's format shows a summary by default, as the messages format does for adaptive thinking or a
 * budget.
 */
function awaitsThoughts({ budget, adaptive }: Reasoning = {}): boolean {
  return adaptive === true || (budget !== undefined && budget !== 0)
}

/** True if the model supports reasoning. Other models reject reasoning settings. */
function canReason({ model, target }: ResponsesWriteState): boolean {
  return target.limits?.reasoning ?? (!isVendorModel(model) || model.efforts.length > 0)
}

/** Default value of the vendor. */
const USUAL = 1

function putSampling(
  { request, target, model, own, losses }: ResponsesWriteState,
  body: Json,
  effort: Effort | undefined,
): boolean {
  const refused = !own && refusesSampling(target, model, effort)
  for (const [key, field] of [
    ['temperature', 'temperature'],
    ['top_p', 'topP'],
  ] as const) {
    const value = request[field]
    if (value === undefined) continue
    if (!refused) body[key] = value
    else if (value !== USUAL) dropped(losses, request.paths[field], 'the model does not support it')
  }
  if (!request.logprobs) return false
  if (refused) dropped(losses, request.paths.logprobs, 'the model does not support it')
  else if (request.logprobs.top > 0) body['top_logprobs'] = request.logprobs.top
  return !refused
}

/** Requests parts of the response that other formats include by default. */
function putInclude(context: ResponsesWriteState, body: Json, logprobs: boolean): void {
  const { own, request, model } = context
  const encrypted = own ? request.encryptedReasoning === true : isVendorModel(model) && canReason(context)
  const include = [...(encrypted ? [ENCRYPTED] : []), ...(logprobs ? [LOGPROBS] : [])]
  if (include.length > 0) body['include'] = include
}

function putText(context: ResponsesWriteState, body: Json): void {
  const { request, own } = context
  const { output, verbosity } = request
  const format = output && writeFormat(context, output)
  if (output?.type === 'json' && !own && !saysJson(body['input'])) askForJson(context, body)
  if (!format && !verbosity) return
  body['text'] = { ...(format && { format }), ...(verbosity && { verbosity }) }
}

function writeFormat(context: ResponsesWriteState, output: OutputFormat): Json | undefined {
  const { request, own, losses } = context
  if (output.type === 'text') return own ? { type: 'text' } : undefined
  if (output.type === 'json') return { type: 'json_object' }
  const { name = 'response', description, schema } = output
  const strict = own ? output.strict : (strictness(output, request, losses) ?? false)
  return {
    type: 'json_schema',
    name: own ? name : (fitNames([name], TOOL_NAME).get(name) ?? name),
    ...(description !== undefined && { description }),
    schema: wrapsOutput(context) ? wrapped(schema) : schema,
    ...(strict !== undefined && { strict }),
  }
}

/** Asks for JSON in a system message, since the vendor rejects `json_object` unless a message contains the word. */
function askForJson({ request, losses }: ResponsesWriteState, body: Json): void {
  if (!Array.isArray(body['input'])) return
  body['input'].unshift({ role: 'system', content: 'Answer in JSON.' })
  changed(losses, request.paths.output, 'also requested in a system message')
}

function putHints({ request, own, model, losses }: ResponsesWriteState, body: Json): void {
  const { paths } = request
  const identified = isVendorModel(model) && sharedHints(request, ID)['safety_identifier'] !== undefined
  if (request.user !== undefined) {
    const user = own ? request.user : (fitNames([request.user], USER).get(request.user) ?? request.user)
    if (user !== request.user) changed(losses, paths.user, 'at most 64 characters')
    body[paths.user === 'user' && (own || identified) ? 'user' : 'safety_identifier'] = user
  }
  putSharedHints(request, ID, body, isVendorModel(model), losses)
  if (request.metadata) {
    if (own) body['metadata'] = request.metadata
    else dropped(losses, paths.metadata, 'metadata is supported only with stored responses')
  }
  if (request.serviceTier === undefined) return
  if (own || TIERS.has(request.serviceTier)) body['service_tier'] = request.serviceTier
  else dropped(losses, paths.serviceTier, 'the vendor has no such tier')
}

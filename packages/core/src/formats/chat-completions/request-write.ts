import type { Restore, WrittenRequest } from '../../canonical/format.ts'
import { type Json, object } from '../../canonical/json.ts'
import { changed, dropped, type Loss } from '../../canonical/loss.ts'
import { fitNames } from '../../canonical/names.ts'
import type { ChatRequest, Effort, OutputFormat } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { restoreOf } from '../../canonical/tools.ts'
import { losePrefill } from '../../canonical/turns.ts'
import { ownFields, refuseForeign, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { isSharedHint, putSharedHints } from '../openai-hints.ts'
import { writeEffort } from './effort.ts'
import { hasFunctionsOnly, isVendorModel, maxTokensField, refusesSampling } from './models.ts'
import { NUMBERS } from './request-read.ts'
import { isStrict, needsWrapper, wrapped } from './schema.ts'
import { writeTools } from './tools-write.ts'
import { writeTurns } from './turns-write.ts'
import { ID, TOOL_NAME } from './wire.ts'
import { type ChatWriteState, chatWriteState, putCacheControl } from './write-state.ts'

/** Writes a request. Names, ids, effort and schemas of callers of this format stay unchanged. */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  refuseForeign(request, ID)
  const context = chatWriteState(request, target, losses)
  const body: Json = { model: target.model, messages: writeTurns(context) }
  if (request.stream) putStream(context, body)
  putMaxTokens(context, body)
  const effort = writeEffort(context, body)
  putSampling(context, body, effort)
  putStop(context, body)
  writeTools(context, body)
  if (request.output) putOutput(context, request.output, body)
  if (request.verbosity) body['verbosity'] = request.verbosity
  putHints(context, body)
  writeExtensions(request, ID, body, losses, (key) => isSharedHint(request, key))
  const restore = restoreOf(request, context.names, {
    functionsOnly: hasFunctionsOnly(target),
    wrapped: context.wrapped,
    wrapsOutput: wrapsOutput(context),
    ...putPrefix(context, body),
  })
  return restore ? { body, restore } : { body }
}

/**
 * Marks a last turn that the model continues, if the server has a field for it.
 * @returns prefix that the response may repeat.
 */
function putPrefix({ request, target, losses }: ChatWriteState, body: Json): Pick<Restore, 'prefix'> {
  const field = target.facts?.prefix
  const last = Array.isArray(body['messages']) ? object(body['messages'].at(-1)) : undefined
  if (!request.prefilled || !last) return {}
  if (field === undefined) {
    losePrefill(request, losses)
    return {}
  }
  last[field] = true
  const content = last['content']
  return typeof content === 'string' ? { prefix: content } : {}
}

function putStream({ target }: ChatWriteState, body: Json): void {
  body['stream'] = true
  if ((target.facts?.usageInStream ?? 'asked') === 'asked') body['stream_options'] = { include_usage: true }
}

function putMaxTokens({ request, target, model, own }: ChatWriteState, body: Json): void {
  if (request.maxTokens === undefined) return
  const path = request.paths.maxTokens ?? 'max_tokens'
  if (request.maxTokens < 1)
    throw invalid(
      path,
      `${path} is ${request.maxTokens}, but this model must generate at least one token. Send 1 or more.`,
    )
  const field = maxTokensField(target, model)
  // A request can have both names. The older one, among the vendor extensions, stays.
  body[own && path === 'max_completion_tokens' && target.facts?.maxTokens === undefined ? path : field] =
    request.maxTokens
}

/** Default values of the vendor. */
const DEFAULTS: Readonly<Record<string, number>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
}

function putSampling(
  { request, target, model, own, losses }: ChatWriteState,
  body: Json,
  effort: Effort | undefined,
): void {
  const refused = refusesSampling(target, model, effort)
  for (const [key, field] of NUMBERS) {
    const value = request[field]
    if (value === undefined) continue
    if (refused && key in DEFAULTS) {
      if (value !== DEFAULTS[key]) dropped(losses, request.paths[field], 'the model does not support it')
    } else if (key === 'top_k' && !own) dropped(losses, request.paths.topK, 'the format has no such field')
    else body[key] = value
  }
  if (request.logprobs) {
    if (refused) dropped(losses, request.paths.logprobs, 'the model does not support it')
    else Object.assign(body, { logprobs: true }, request.logprobs.top > 0 ? { top_logprobs: request.logprobs.top } : {})
  }
  if (request.logitBias) {
    if (refused) dropped(losses, request.paths.logitBias, 'the model does not support it')
    else body['logit_bias'] = request.logitBias
  }
}

const MOST_STOPS = 4

function putStop({ request, model, own, losses }: ChatWriteState, body: Json): void {
  const { stop, paths } = request
  if (!stop || stop.length === 0) return
  if (!own && model.noStop) {
    dropped(losses, paths.stop, 'the model does not support it')
    return
  }
  if (!own && stop.length > MOST_STOPS) changed(losses, paths.stop, `at most ${MOST_STOPS} stop sequences`)
  body['stop'] = own ? stop : stop.slice(0, MOST_STOPS)
}

function putOutput(context: ChatWriteState, output: OutputFormat, body: Json): void {
  const { request, own, losses } = context
  if (output.type === 'text') {
    if (own) body['response_format'] = { type: 'text' }
    return
  }
  if (output.type === 'json') {
    const isNamed = own && ownFields(request, ID)?.['response_format.json_schema'] !== undefined
    body['response_format'] = { type: isNamed ? 'json_schema' : 'json_object' }
    if (!own) askForJson(body, request, losses)
    return
  }
  const { name = 'response', description, schema } = output
  const strict = own ? output.strict : strictness(output, request, losses)
  const isWrapped = wrapsOutput(context)
  body['response_format'] = {
    type: 'json_schema',
    json_schema: {
      name: own ? name : (fitNames([name], TOOL_NAME).get(name) ?? name),
      ...(description === undefined ? {} : { description }),
      schema: isWrapped ? wrapped(schema) : schema,
      ...(strict === undefined ? {} : { strict }),
    },
  }
}

/** True if the structured output is sent in a wrapper. */
export function wrapsOutput({ request: { output }, own, model }: ChatWriteState): boolean {
  return output?.type === 'schema' && !own && isVendorModel(model) && needsWrapper(output.schema)
}

/**
 * Value of `strict`. True by default if the schema allows it, as for other vendors. Adapting the schema would make
 * optional fields required.
 */
export function strictness(
  output: OutputFormat & { type: 'schema' },
  request: ChatRequest,
  losses: Loss[],
): boolean | undefined {
  if (isStrict(output.schema)) return output.strict ?? true
  if (output.strict)
    changed(losses, request.paths.output, 'the schema has optional fields, which strict mode does not support')
  return output.strict ? undefined : output.strict
}

/** Asks for JSON in a system message, since the vendor rejects `json_object` unless a message contains the word. */
function askForJson(body: Json, request: ChatRequest, losses: Loss[]): void {
  const messages = body['messages']
  if (!Array.isArray(messages) || saysJson(messages)) return
  messages.unshift({ role: 'system', content: 'Answer in JSON.' })
  changed(losses, request.paths.output, 'also requested in a system message')
}

/** True if messages contain the word. */
export function saysJson(messages: unknown): boolean {
  return /json/i.test(JSON.stringify(messages) ?? '')
}

export const TIERS: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])
export const USER = { illegal: /[^\x20-\x7e]/g, max: 64 } as const

function putHints(context: ChatWriteState, body: Json): void {
  const { request, own, model, losses } = context
  const { paths } = request
  if (request.user !== undefined) {
    const user = own ? request.user : (fitNames([request.user], USER).get(request.user) ?? request.user)
    if (user !== request.user) changed(losses, paths.user, 'at most 64 characters')
    const isIdentifier = paths.user === 'safety_identifier' && (own || isVendorModel(model))
    body[isIdentifier ? 'safety_identifier' : 'user'] = user
  }
  putSharedHints(request, ID, body, isVendorModel(model), losses)
  if (request.metadata) {
    if (own) body['metadata'] = request.metadata
    else dropped(losses, paths.metadata, 'metadata is supported only with stored responses')
  }
  if (request.serviceTier !== undefined) {
    if (own || TIERS.has(request.serviceTier)) body['service_tier'] = request.serviceTier
    else dropped(losses, paths.serviceTier, 'the vendor has no such tier')
  }
  putCacheControl(context, request.cache, paths.cache, body)
}

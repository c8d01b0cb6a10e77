import type { WrittenRequest } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { ChatRequest, Message } from '../../canonical/request.ts'
import type { Target } from '../../canonical/target.ts'
import { restoreOf } from '../../canonical/tools.ts'
import { losePrefill, splitSystem } from '../../canonical/turns.ts'
import { refuseForeign, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { writeGenerationConfig } from './generation-config.ts'
import { LABELS } from './request-read.ts'
import { writeTools } from './tools-write.ts'
import { writeSystem, writeTurns } from './turns-write.ts'
import { ID } from './wire.ts'
import { type ContentWriteState, contentWriteState } from './write-state.ts'

/** Writes a request for a model that speaks this format. */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  refuseForeign(request, ID)
  const context = contentWriteState(request, target, losses)
  const { system, turns } = splitSystem(request.messages)
  const systemInstruction = writeSystem(context, system)
  const contents = writeTurns(context, turns)
  losePrefill(request, losses)
  if (contents.length === 0) contents.push(emptyTurn(turns))
  const body: Json = { contents }
  if (systemInstruction) putSystem(body, contents, systemInstruction, context.model.system)
  Object.assign(body, writeTools(context))
  const config = writeGenerationConfig(context)
  if (Object.keys(config).length > 0) body['generationConfig'] = config
  putRest(context, body)
  writeExtensions(request, ID, body, losses)
  const restore = restoreOf(request, context.names, { functionsOnly: true })
  return restore ? { body, restore } : { body }
}

/**
 * Empty turn for a conversation without content, which the vendor accepts.
 * @throws HeadgateError if the conversation has no turns.
 */
function emptyTurn(messages: readonly Message[]): Json {
  if (messages.length > 0) return { role: 'user', parts: [{ text: '' }] }
  throw invalid(undefined, 'The conversation has no turn except the system prompt. Send at least one user message.')
}

/** Writes the system instruction. For models without system instructions it is added to the first turn. */
function putSystem(body: Json, contents: readonly Json[], instruction: Json, known: boolean): void {
  const [first] = contents
  if (known || !first) body['systemInstruction'] = instruction
  else first['parts'] = [...(instruction['parts'] as Json[]), ...(first['parts'] as Json[])]
}

/** The vendor's tiers, by Headgate's names. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ['default', 'standard'],
  ['flex', 'flex'],
  ['priority', 'priority'],
])

/** Writes the remaining fields. Vertex AI has a header for the tier, which is not part of the format. */
function putRest({ request, geminiApi, losses }: ContentWriteState, body: Json): void {
  const { paths, serviceTier } = request
  const tier = TIERS.get(serviceTier ?? '')
  if (tier && geminiApi) body['serviceTier'] = tier
  else if (serviceTier !== undefined && serviceTier !== 'auto')
    dropped(losses, paths.serviceTier, 'the vendor has no such tier')
  if (request.metadata && paths.metadata === LABELS) body['labels'] = request.metadata
  else if (request.metadata) dropped(losses, paths.metadata, 'requests have no metadata')
  if (request.user !== undefined) dropped(losses, paths.user, 'requests have no user')
  if (request.logitBias) dropped(losses, paths.logitBias, 'the model does not support logit bias')
  if (request.verbosity !== undefined) dropped(losses, paths.verbosity, 'the model does not support verbosity')
  if (request.cache) dropped(losses, paths.cache, 'prompts are cached without cache marks')
}

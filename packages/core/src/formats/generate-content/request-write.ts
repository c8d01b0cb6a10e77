import type { WrittenRequest } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { ChatRequest, Message } from '../../canonical/request.ts'
import { refuseForeign, writeSide } from '../../canonical/side.ts'
import type { Target } from '../../canonical/target.ts'
import { restoreOf } from '../../canonical/tools.ts'
import { losePrefill, splitSystem } from '../../canonical/turns.ts'
import { invalid } from '../../errors.ts'
import { writeGenerationConfig } from './generation-config.ts'
import { LABELS } from './request-read.ts'
import { writeTools } from './tools-write.ts'
import { writeSystem, writeTurns } from './turns-write.ts'
import { ID } from './wire.ts'
import { type Writing, writing } from './writing.ts'

/** Writes a request for a model that speaks this format. */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  refuseForeign(request, ID)
  const context = writing(request, target, losses)
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
  writeSide(request, ID, body, losses)
  const restore = restoreOf(request, context.names, { functionsOnly: true })
  return restore ? { body, restore } : { body }
}

/** A conversation without content is one turn of no words, which the vendor takes; one without turns is refused. */
function emptyTurn(messages: readonly Message[]): Json {
  if (messages.length > 0) return { role: 'user', parts: [{ text: '' }] }
  throw invalid(
    undefined,
    'The conversation holds no turn beside the system prompt. Send at least one message of the user.',
  )
}

/** Models without system instructions get them at the start of the first turn. */
function putSystem(body: Json, contents: readonly Json[], instruction: Json, known: boolean): void {
  const [first] = contents
  if (known || !first) body['systemInstruction'] = instruction
  else first['parts'] = [...(instruction['parts'] as Json[]), ...(first['parts'] as Json[])]
}

/** Headgate's words for the vendor's. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ['default', 'standard'],
  ['flex', 'flex'],
  ['priority', 'priority'],
])

/** Vertex takes the tier as a header, which is no part of the format. */
function putRest({ request, geminiApi, losses }: Writing, body: Json): void {
  const { paths, serviceTier } = request
  const tier = TIERS.get(serviceTier ?? '')
  if (tier && geminiApi) body['serviceTier'] = tier
  else if (serviceTier !== undefined && serviceTier !== 'auto')
    dropped(losses, paths.serviceTier, 'the vendor has no such tier')
  if (request.metadata && paths.metadata === LABELS) body['labels'] = request.metadata
  else if (request.metadata) dropped(losses, paths.metadata, 'requests carry no metadata')
  if (request.user !== undefined) dropped(losses, paths.user, 'requests name no user')
  if (request.logitBias) dropped(losses, paths.logitBias, 'the model takes no biases')
  if (request.verbosity !== undefined) dropped(losses, paths.verbosity, 'the model takes no verbosity')
  if (request.cache) dropped(losses, paths.cache, 'prompts are cached without marks')
}

import type { RequestLine, WrittenRequest } from '../../chat/format.ts'
import { isObject, type Json, text } from '../../chat/json.ts'
import { dropped, type Loss } from '../../chat/loss.ts'
import { invert } from '../../chat/names.ts'
import type { ChatRequest, Message, RequestField } from '../../chat/request.ts'
import type { Target } from '../../chat/target.ts'
import { invalid } from '../../errors.ts'
import { type ContentsTarget, writeContents, writeSystem } from './contents.ts'
import { readContents, readSystem } from './contents-read.ts'
import { readGenerationConfig, writeGenerationConfig } from './generation-config.ts'
import { traitsOf } from './models.ts'
import { conform } from './shape.ts'
import { restoreSide, sideOf, unknownFields } from './side.ts'
import { fitToolNames, writeTools } from './tools.ts'
import { readToolChoice, readTools } from './tools-read.ts'
import { REQUEST, SIGNER } from './wire.ts'

const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'generationConfig',
  'tools',
  'toolConfig',
  'labels',
  'serviceTier',
])
const TOOL_CONFIG: ReadonlySet<string> = new Set(['functionCallingConfig'])
const CALLING: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames'])

const PATHS: Readonly<Partial<Record<RequestField, string>>> = {
  maxTokens: 'generationConfig.maxOutputTokens',
  temperature: 'generationConfig.temperature',
  topP: 'generationConfig.topP',
  topK: 'generationConfig.topK',
  stop: 'generationConfig.stopSequences',
  seed: 'generationConfig.seed',
  presencePenalty: 'generationConfig.presencePenalty',
  frequencyPenalty: 'generationConfig.frequencyPenalty',
  n: 'generationConfig.candidateCount',
  logprobs: 'generationConfig.responseLogprobs',
  reasoning: 'generationConfig.thinkingConfig',
  tools: 'tools',
  toolChoice: 'toolConfig.functionCallingConfig',
  metadata: 'labels',
  serviceTier: 'serviceTier',
}

/**
 * A request body; model and `stream` are from the request line.
 * @throws HeadgateError `invalid-request` naming the field, in camelCase however the caller spelled it.
 */
export function readRequest(source: Json, line: RequestLine = {}): ChatRequest {
  const body = conform(source, REQUEST, '') as Json
  const model = line.model ?? text(body['model'])?.replace(/^models\//, '')
  if (!model) throw invalid('model', 'The request names no model. Put it into the path: models/<model>:generateContent.')
  const messages = readContents(body['contents'], 'contents')
  if (messages.length === 0) throw invalid('contents', 'contents is missing or empty. Send at least one turn.')
  const system = isObject(body['systemInstruction']) ? readSystem(body['systemInstruction'], 'systemInstruction') : undefined
  const config = isObject(body['generationConfig']) ? body['generationConfig'] : {}
  const request: ChatRequest = {
    model,
    messages: system ? [system, ...messages] : messages,
    stream: line.stream ?? false,
    streamUsage: true,
    paths: { ...PATHS, output: outputPath(config) },
  }
  const configRest = readGenerationConfig(config, 'generationConfig', request)
  readToolFields(body, request)
  if (isObject(body['labels'])) request.metadata = body['labels']
  const tier = TIERS[text(body['serviceTier'])?.toLowerCase() ?? '']
  if (tier) request.serviceTier = tier
  return withSide(request, body, configRest)
}

function outputPath(config: Json): string {
  const key = ['responseJsonSchema', 'responseSchema'].find((name) => config[name] !== undefined)
  return `generationConfig.${key ?? 'responseMimeType'}`
}

function readToolFields(body: Json, request: ChatRequest): void {
  const tools = readTools(body['tools'], 'tools')
  if (tools.length > 0) request.tools = tools
  const choice = readToolChoice(callingConfig(body), 'toolConfig.functionCallingConfig')
  if (choice) request.toolChoice = choice
}

function callingConfig(body: Json): Json | undefined {
  const toolConfig = isObject(body['toolConfig']) ? body['toolConfig'] : {}
  return isObject(toolConfig['functionCallingConfig']) ? toolConfig['functionCallingConfig'] : undefined
}

/** Vendor's words for Headgate's. */
const TIERS: Readonly<Record<string, string>> = { standard: 'default', flex: 'flex', priority: 'priority' }

/** Fields that only this format has. Some of them decide what is answered, and no other provider can honour them. */
function withSide(request: ChatRequest, body: Json, configRest: Json | undefined): ChatRequest {
  const calling = callingConfig(body)
  const rest = { ...configRest }
  const modalities = rest['generationConfig.responseModalities']
  const textOnly = Array.isArray(modalities) && modalities.every((modality) => String(modality).toUpperCase() === 'TEXT')
  if (textOnly && !request.model.includes('image')) delete rest['generationConfig.responseModalities']
  const side = sideOf(
    unknownFields(body, KNOWN),
    rest,
    isObject(body['toolConfig']) ? unknownFields(body['toolConfig'], TOOL_CONFIG, 'toolConfig.') : undefined,
    calling && unknownFields(calling, CALLING, 'toolConfig.functionCallingConfig.'),
    text(calling?.['mode'])?.toUpperCase() === 'VALIDATED' ? { 'toolConfig.functionCallingConfig.mode': 'VALIDATED' } : undefined,
  )
  if (!side) return request
  const essential = ['cachedContent', ...(textOnly ? [] : ['generationConfig.responseModalities'])].filter((key) =>
    Object.hasOwn(side.fields, key),
  )
  return { ...request, side: essential.length > 0 ? { ...side, essential } : side }
}

/** The request for a model that speaks this format. */
export function writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest {
  const traits = traitsOf(target.model)
  const geminiApi = target.facts?.toolCallIds !== false
  const names = fitToolNames(request)
  const context: ContentsTarget = { target, traits, names, callIds: geminiApi && target.signer === SIGNER, losses }
  const { system, rest } = splitSystem(request.messages)
  const systemInstruction = writeSystem(system, losses)
  const contents = writeContents(rest, context)
  if (contents.length === 0) contents.push(emptyTurn(rest))
  const body: Json = { contents }
  if (systemInstruction) putSystem(body, contents, systemInstruction, traits.system)
  Object.assign(body, writeTools(request, { traits, names, geminiApi }, losses))
  const config = writeGenerationConfig(request, traits, geminiApi, losses)
  if (Object.keys(config).length > 0) body['generationConfig'] = config
  writeRest(request, body, geminiApi, losses)
  restoreSide(request, body, losses)
  return withRestore(body, request, names)
}

function splitSystem(messages: readonly Message[]): { system: readonly Message[]; rest: readonly Message[] } {
  const first = messages.findIndex((message) => message.role !== 'system')
  return first === -1 ? { system: messages, rest: [] } : { system: messages.slice(0, first), rest: messages.slice(first) }
}

/** A conversation without content is one turn of no words, which the vendor takes; one without turns is refused. */
function emptyTurn(messages: readonly Message[]): Json {
  if (messages.length > 0) return { role: 'user', parts: [{ text: '' }] }
  throw invalid(undefined, 'The conversation holds no turn beside the system prompt. Send at least one message of the user.')
}

/** Models without system instructions get them at the start of the first turn. */
function putSystem(body: Json, contents: readonly Json[], instruction: Json, known: boolean): void {
  const [first] = contents
  if (known || !first) body['systemInstruction'] = instruction
  else first['parts'] = [...(instruction['parts'] as Json[]), ...(first['parts'] as Json[])]
}

const TIER_WORDS: Readonly<Record<string, string>> = { default: 'standard', flex: 'flex', priority: 'priority' }

/** Vertex takes the tier as a header, which is no part of the format. */
function writeRest(request: ChatRequest, body: Json, geminiApi: boolean, losses: Loss[]): void {
  const { paths, serviceTier } = request
  const tier = serviceTier === undefined ? undefined : TIER_WORDS[serviceTier]
  if (tier && geminiApi) body['serviceTier'] = tier
  else if (serviceTier !== undefined && serviceTier !== 'auto') dropped(losses, paths.serviceTier, 'the vendor has no such tier')
  if (request.metadata && paths.metadata === PATHS.metadata) body['labels'] = request.metadata
  else if (request.metadata) dropped(losses, paths.metadata, 'requests carry no metadata')
  if (request.user !== undefined) dropped(losses, paths.user, 'requests name no user')
  if (request.logitBias) dropped(losses, paths.logitBias, 'the model takes no biases')
  if (request.verbosity !== undefined) dropped(losses, paths.verbosity, 'the model takes no verbosity')
  if (request.cache) dropped(losses, paths.cache, 'prompts are cached without marks')
}

function withRestore(body: Json, request: ChatRequest, names: ReadonlyMap<string, string>): WrittenRequest {
  const originals = invert(names)
  const custom = new Set(request.tools?.filter((tool) => tool.type === 'custom').map((tool) => tool.name))
  if (originals.size === 0 && custom.size === 0) return { body }
  return { body, restore: { ...(originals.size > 0 && { names: originals }), ...(custom.size > 0 && { custom }) } }
}

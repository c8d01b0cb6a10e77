import { wrong } from '../../canonical/fields.ts'
import type { RequestLine } from '../../canonical/format.ts'
import { type Json, object, text } from '../../canonical/json.ts'
import type { ChatRequest, RequestField } from '../../canonical/request.ts'
import { extensionsOf, ownExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { readGenerationConfig } from './generation-config.ts'
import { conform } from './shape.ts'
import { readToolChoice, readTools, validated } from './tools-read.ts'
import { readTurns } from './turns-read.ts'
import { ID, REQUEST } from './wire.ts'

/** Fields with a reader below, except the service tier. Unknown tiers are preserved for the vendor. */
const FIELDS_BUT_TIER: ReadonlySet<string> = new Set([
  ...['model', 'contents', 'systemInstruction', 'generationConfig', 'tools', 'toolConfig', 'labels'],
])
const FIELDS: ReadonlySet<string> = new Set([...FIELDS_BUT_TIER, 'serviceTier'])
const TOOL_CONFIG: ReadonlySet<string> = new Set(['functionCallingConfig'])
const CALLING: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames'])

const CALLING_PATH = 'toolConfig.functionCallingConfig'

/** Path of the request's metadata. */
export const LABELS = 'labels'

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
  toolChoice: CALLING_PATH,
  metadata: LABELS,
  serviceTier: 'serviceTier',
}

/** Headgate's tiers, by the vendor's names. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ['standard', 'default'],
  ['flex', 'flex'],
  ['priority', 'priority'],
])

/**
 * Reads a request. Model and `stream` come from the request line.
 * @throws HeadgateError of kind `invalid-request` with the field in camelCase, regardless of the caller's spelling.
 */
export function readRequest(source: Json, line: RequestLine = {}): ChatRequest {
  const body = conform(source, REQUEST, '') as Json
  const model = line.model ?? text(body['model'])?.replace(/^models\//, '')
  if (!model) throw wrong('model', 'it in the path: models/<model>:generateContent', undefined)
  const config = object(body['generationConfig']) ?? {}
  const request: ChatRequest = {
    model,
    messages: readTurns(body),
    stream: line.stream ?? false,
    streamUsage: true,
    paths: { ...PATHS, output: outputPath(config) },
  }
  const tier = TIERS.get(text(body['serviceTier'])?.toLowerCase() ?? '')
  if (tier) request.serviceTier = tier
  const fields = readGenerationConfig(config, request, unknownFields(body, tier ? FIELDS : FIELDS_BUT_TIER))
  const calling = object(object(body['toolConfig'])?.['functionCallingConfig'])
  const tools = readTools(body)
  if (tools) request.tools = validated(tools, calling?.['mode'], `${CALLING_PATH}.mode`)
  const choice = readToolChoice(calling, CALLING_PATH)
  if (choice) request.toolChoice = choice
  const labels = object(body['labels'])
  if (labels) request.metadata = labels
  return withExtensions(request, readToolConfig(body, fields))
}

function outputPath(config: Json): string {
  const key = ['responseJsonSchema', 'responseSchema'].find((name) => config[name] !== undefined)
  return `generationConfig.${key ?? 'responseMimeType'}`
}

/** Adds vendor extensions of the tool configuration to `fields`. */
function readToolConfig(body: Json, fields: Json | undefined): Json | undefined {
  const config = object(body['toolConfig'])
  if (!config) return fields
  const left = unknownFields(config, TOOL_CONFIG, fields, 'toolConfig.')
  const calling = object(config['functionCallingConfig'])
  if (!calling) return left
  return unknownFields(calling, CALLING, left, `${CALLING_PATH}.`)
}

const MODALITIES = 'generationConfig.responseModalities'

/**
 * Adds vendor extensions to a request. Some are essential, since they affect the response and no other provider
 * supports them.
 */
function withExtensions(request: ChatRequest, fields: Json | undefined): ChatRequest {
  const modalities = fields?.[MODALITIES]
  const textOnly = Array.isArray(modalities) && modalities.every((modality) => text(modality)?.toUpperCase() === 'TEXT')
  const { [MODALITIES]: _, ...rest } = fields ?? {}
  const left = textOnly && !request.model.includes('image') ? rest : fields
  return {
    ...request,
    extensions:
      extensionsOf(ID, left, textOnly ? ['cachedContent'] : ['cachedContent', MODALITIES]) ?? ownExtensions(ID),
  }
}

import { described } from '../../chat/described.ts'
import { isObject, type Json } from '../../chat/json.ts'
import { changed, dropped, type Loss } from '../../chat/loss.ts'
import type { ChatRequest, OutputFormat } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { writeJsonSchema } from './json-schema.ts'
import type { Traits } from './models.ts'
import { writeOpenApiSchema } from './openapi-schema.ts'
import { readSchema } from './schema-read.ts'
import { unknownFields } from './side.ts'
import { readThinking, writeThinking } from './thinking.ts'
import { declare } from './tools.ts'

/** Most stop sequences that the vendor takes. */
const MAX_STOP = 5

const KNOWN: ReadonlySet<string> = new Set([
  ...['temperature', 'topP', 'topK', 'candidateCount', 'maxOutputTokens', 'stopSequences', 'seed', 'presencePenalty', 'frequencyPenalty'],
  ...['responseLogprobs', 'logprobs', 'responseMimeType', 'responseSchema', 'responseJsonSchema', 'thinkingConfig'],
])
const THINKING: ReadonlySet<string> = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel'])

const NUMBERS = [
  ['temperature', 'temperature'],
  ['topP', 'topP'],
  ['topK', 'topK'],
  ['n', 'candidateCount'],
  ['maxTokens', 'maxOutputTokens'],
  ['seed', 'seed'],
  ['presencePenalty', 'presencePenalty'],
  ['frequencyPenalty', 'frequencyPenalty'],
] as const

/** Reads the generation config into the request; what no other format knows is returned for the side-channel. */
export function readGenerationConfig(config: Json, at: string, request: ChatRequest): Json | undefined {
  for (const [field, key] of NUMBERS) {
    const value = config[key]
    if (typeof value === 'number') request[field] = value
  }
  if (Array.isArray(config['stopSequences'])) request.stop = config['stopSequences'].map(String)
  if (config['responseLogprobs'] === true) request.logprobs = { top: typeof config['logprobs'] === 'number' ? config['logprobs'] : 0 }
  const reasoning = readThinking(config['thinkingConfig'], `${at}.thinkingConfig`)
  if (reasoning) request.reasoning = reasoning
  const output = readOutput(config, at)
  if (output) request.output = output
  return {
    ...unknownFields(config, KNOWN, 'generationConfig.'),
    ...(isObject(config['thinkingConfig']) && unknownFields(config['thinkingConfig'], THINKING, 'generationConfig.thinkingConfig.')),
    ...(isOtherMime(config['responseMimeType']) && { 'generationConfig.responseMimeType': config['responseMimeType'] }),
  }
}

function isOtherMime(mime: unknown): boolean {
  return mime !== undefined && mime !== 'application/json' && mime !== 'text/plain'
}

function readOutput(config: Json, at: string): OutputFormat | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  if (responseSchema && responseJsonSchema) {
    throw invalid(`${at}.responseJsonSchema`, `${at} has both responseSchema and responseJsonSchema. Send one of them.`)
  }
  if (isObject(responseJsonSchema)) return { type: 'schema', schema: responseJsonSchema }
  if (isObject(responseSchema)) return { type: 'schema', schema: readSchema(responseSchema) }
  if (responseMimeType === 'application/json') return { type: 'json' }
  return responseMimeType === 'text/plain' ? { type: 'text' } : undefined
}

/** The generation config of a request. `geminiApi` is false for Vertex. */
export function writeGenerationConfig(request: ChatRequest, traits: Traits, geminiApi: boolean, losses: Loss[]): Json {
  const { paths } = request
  const out: Json = {}
  for (const [field, key] of NUMBERS) {
    const value = request[field]
    if (value !== undefined) out[key] = value
  }
  if (request.maxTokens === 0)
    throw invalid(paths.maxTokens, `${paths.maxTokens ?? 'The output limit'} is 0, which Gemini does not take. Ask for at least 1 token.`)
  if (request.n === 1) delete out['candidateCount']
  if (request.seed !== undefined && request.seed !== (request.seed | 0)) {
    out['seed'] = request.seed | 0
    changed(losses, paths.seed, 'seeds have 32 bits')
  }
  if (geminiApi && !traits.penalties) withoutPenalties(request, out, losses)
  writeStop(request, out, losses)
  if (request.logprobs) {
    out['responseLogprobs'] = true
    if (request.logprobs.top > 0) out['logprobs'] = request.logprobs.top
  }
  writeOutput(request, traits, out, losses)
  const thinking = writeThinking(request, traits.thinking, losses)
  if (thinking) out['thinkingConfig'] = thinking
  return out
}

function withoutPenalties(request: ChatRequest, out: Json, losses: Loss[]): void {
  for (const field of ['presencePenalty', 'frequencyPenalty'] as const) {
    if (request[field] === undefined) continue
    delete out[field]
    dropped(losses, request.paths[field], 'the model takes no penalties')
  }
}

function writeStop(request: ChatRequest, out: Json, losses: Loss[]): void {
  const stop = request.stop?.filter((sequence) => sequence !== '')
  if (!stop || stop.length === 0) return
  out['stopSequences'] = stop.slice(0, MAX_STOP)
  if (stop.length > MAX_STOP) changed(losses, request.paths.stop, `at most ${MAX_STOP} stop sequences are taken`)
}

function writeOutput(request: ChatRequest, traits: Traits, out: Json, losses: Loss[]): void {
  const { output, paths } = request
  if (!output) return
  if (output.type === 'text') {
    out['responseMimeType'] = 'text/plain'
    return
  }
  out['responseMimeType'] = 'application/json'
  if (output.type === 'json') return
  const at = paths.output ?? 'the output schema'
  const schema = described(output, at, losses)
  const written = traits.jsonSchema ? writeJsonSchema(schema, at) : writeOpenApiSchema(schema, at)
  declare(written, paths.output, losses)
  out[traits.jsonSchema ? 'responseJsonSchema' : 'responseSchema'] = written.schema
}

import { described } from '../../canonical/described.ts'
import { bothGiven } from '../../canonical/fields.ts'
import { isObject, type Json, object } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { ChatRequest, OutputFormat } from '../../canonical/request.ts'
import { unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { readEffort, writeEffort } from './effort.ts'
import { readSchema } from './schema-read.ts'
import { writeSchema } from './schema-write.ts'
import { declare } from './tools-write.ts'
import type { ContentWriteState } from './write-state.ts'

/** Maximum stop sequences of the vendor. */
const MAX_STOP = 5

const KNOWN: ReadonlySet<string> = new Set([
  ...[
    'temperature',
    'topP',
    'topK',
    'candidateCount',
    'maxOutputTokens',
    'stopSequences',
    'seed',
    'presencePenalty',
    'frequencyPenalty',
  ],
  ...['responseLogprobs', 'logprobs', 'responseMimeType', 'responseSchema', 'responseJsonSchema', 'thinkingConfig'],
])
/** Known fields without the media type. A type other than JSON and text is preserved for the vendor. */
const KNOWN_BUT_MIME: ReadonlySet<string> = new Set([...KNOWN].filter((key) => key !== 'responseMimeType'))
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

const AT = 'generationConfig'

/** Reads the generation configuration into the request, and adds vendor extensions to `fields`. */
export function readGenerationConfig(config: Json, request: ChatRequest, fields: Json | undefined): Json | undefined {
  for (const [field, key] of NUMBERS) {
    const value = config[key]
    if (typeof value === 'number') request[field] = value
  }
  if (Array.isArray(config['stopSequences'])) request.stop = config['stopSequences'].map(String)
  if (config['responseLogprobs'] === true)
    request.logprobs = { top: typeof config['logprobs'] === 'number' ? config['logprobs'] : 0 }
  const thinking = object(config['thinkingConfig'])
  const reasoning = readEffort(thinking, `${AT}.thinkingConfig`)
  if (reasoning) request.reasoning = reasoning
  const output = readOutput(config)
  if (output) request.output = output
  const left = unknownFields(config, isOtherMime(config['responseMimeType']) ? KNOWN_BUT_MIME : KNOWN, fields, `${AT}.`)
  return thinking ? unknownFields(thinking, THINKING, left, `${AT}.thinkingConfig.`) : left
}

function isOtherMime(mime: unknown): boolean {
  return mime !== undefined && mime !== 'application/json' && mime !== 'text/plain'
}

function readOutput(config: Json): OutputFormat | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  if (responseSchema && responseJsonSchema) throw bothGiven(AT, 'responseSchema', 'responseJsonSchema')
  if (isObject(responseJsonSchema)) return { type: 'schema', schema: responseJsonSchema }
  if (isObject(responseSchema)) return { type: 'schema', schema: readSchema(responseSchema) }
  if (responseMimeType === 'application/json') return { type: 'json' }
  return responseMimeType === 'text/plain' ? { type: 'text' } : undefined
}

/** Generation configuration of a request. */
export function writeGenerationConfig(context: ContentWriteState): Json {
  const { request, model, geminiApi, losses } = context
  const { paths } = request
  const out: Json = {}
  for (const [field, key] of NUMBERS) {
    const value = request[field]
    if (value !== undefined) out[key] = value
  }
  if (request.maxTokens === 0)
    throw invalid(
      paths.maxTokens,
      `${paths.maxTokens ?? 'The output limit'} is 0, which Gemini does not support. Request at least 1 token.`,
    )
  if (request.n === 1) delete out['candidateCount']
  if (request.seed !== undefined && request.seed !== (request.seed | 0)) {
    out['seed'] = request.seed | 0
    changed(losses, paths.seed, 'seeds have 32 bits')
  }
  if (geminiApi && !model.penalties) withoutPenalties(context, out)
  putStop(context, out)
  if (request.logprobs) {
    out['responseLogprobs'] = true
    if (request.logprobs.top > 0) out['logprobs'] = request.logprobs.top
  }
  putOutput(context, out)
  const thinking = writeEffort(context)
  if (thinking) out['thinkingConfig'] = thinking
  return out
}

function withoutPenalties({ request, losses }: ContentWriteState, out: Json): void {
  for (const field of ['presencePenalty', 'frequencyPenalty'] as const) {
    if (request[field] === undefined) continue
    delete out[field]
    dropped(losses, request.paths[field], 'the model does not support penalties')
  }
}

function putStop({ request, losses }: ContentWriteState, out: Json): void {
  const stop = request.stop?.filter((sequence) => sequence !== '')
  if (!stop || stop.length === 0) return
  out['stopSequences'] = stop.slice(0, MAX_STOP)
  if (stop.length > MAX_STOP)
    changed(losses, request.paths.stop, `the vendor supports at most ${MAX_STOP} stop sequences`)
}

function putOutput({ request, model, losses }: ContentWriteState, out: Json): void {
  const { output, paths } = request
  if (!output) return
  if (output.type === 'text') {
    out['responseMimeType'] = 'text/plain'
    return
  }
  out['responseMimeType'] = 'application/json'
  if (output.type === 'json') return
  const path = paths.output ?? 'the output schema'
  const written = writeSchema(described(output, path, losses), path, model.jsonSchema)
  declare(written.lost, paths.output, losses)
  out[model.jsonSchema ? 'responseJsonSchema' : 'responseSchema'] = written.schema
}

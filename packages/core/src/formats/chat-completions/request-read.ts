import type { RequestLine } from '../../chat/format.ts'
import { isObject, type Json } from '../../chat/json.ts'
import { type ChatRequest, EFFORTS, type OutputFormat, type RequestField } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { booleanField, integerField, listField, numberField, objectField, requiredObject, stringField, wordField, wrong } from './fields.ts'
import { readCache, readMessages } from './messages-read.ts'
import { extras, sideOf } from './side.ts'
import { readToolChoice, readTools } from './tools.ts'

type Paths = Partial<Record<RequestField, string>>

/** Wire names of the plain numbers of a request. */
export const NUMBERS = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['seed', 'seed'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['n', 'n'],
] as const

/** Everything that is read below; `include_obfuscation` asks for padding that only the vendor's own stream has. */
const FIELDS: ReadonlySet<string> = new Set([
  ...NUMBERS.map(([key]) => key),
  ...['model', 'messages', 'stream', 'stream_options', 'max_completion_tokens', 'max_tokens', 'stop'],
  ...['logprobs', 'top_logprobs', 'logit_bias', 'tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'],
  ...['response_format', 'reasoning_effort', 'verbosity', 'web_search_options', 'service_tier', 'user', 'metadata', 'cache_control'],
])
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'json_schema'])
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'strict'])
const STREAM_FIELDS: ReadonlySet<string> = new Set(['include_usage', 'include_obfuscation'])

/** Reads a request. A field that is null counts as absent, as with the vendor. */
export function readRequest(body: Json, line: RequestLine = {}): ChatRequest {
  const model = stringField(body, 'model', '') ?? line.model
  if (!model) throw wrong('model', 'the name of a model', body['model'] === '' ? undefined : body['model'])
  refuseAudio(body)
  const options = objectField(body, 'stream_options', '') ?? {}
  const paths: Paths = {}
  const request: ChatRequest = {
    model,
    messages: readMessages(body),
    stream: booleanField(body, 'stream', '') ?? line.stream ?? false,
    streamUsage: booleanField(options, 'include_usage', 'stream_options') ?? false,
    paths,
  }
  readNumbers(body, request, paths)
  readToolFields(body, request, paths)
  readOutputFields(body, request, paths)
  readHints(body, request, paths)
  request.side = sideOf(readSide(body, options, paths))
  return request
}

/** What no field of the canonical model holds. Always there, as the mark that the caller speaks this format. */
function readSide(body: Json, options: Json, paths: Paths): Json {
  const fields = extras(body, FIELDS, extras(options, STREAM_FIELDS, undefined, 'stream_options.')) ?? {}
  if (paths.user === 'safety_identifier') delete fields['safety_identifier']
  if (Array.isArray(fields['modalities']) && fields['modalities'].every((item) => item === 'text')) delete fields['modalities']
  const format = body['response_format']
  if (!isObject(format)) return fields
  extras(format, FORMAT_FIELDS, fields, 'response_format.')
  if (isObject(format['json_schema'])) extras(format['json_schema'], SCHEMA_FIELDS, fields, 'response_format.json_schema.')
  return fields
}

/** Spoken answers exist in this format only, and not in the canonical model: such a request can only pass as it is. */
function refuseAudio(body: Json): void {
  const modalities = listField(body, 'modalities', '') ?? []
  if (!modalities.includes('audio')) return
  throw invalid('modalities', 'modalities asks for audio, which the provider of this model can not answer with. Leave out "audio".')
}

function readNumbers(body: Json, request: ChatRequest, paths: Paths): void {
  for (const [key, field] of NUMBERS) {
    const value = numberField(body, key, '')
    if (value === undefined) continue
    request[field] = value
    paths[field] = key
  }
  if (request.n !== undefined && (!Number.isInteger(request.n) || request.n < 1)) throw invalid('n', 'n is not a positive whole number.')
  const limit = integerField(body, 'max_completion_tokens', '')
  const older = integerField(body, 'max_tokens', '')
  const maxTokens = limit ?? older
  if (maxTokens !== undefined) {
    request.maxTokens = maxTokens
    paths.maxTokens = limit === undefined ? 'max_tokens' : 'max_completion_tokens'
  }
  const stop = readStop(body['stop'])
  if (stop) {
    request.stop = stop
    paths.stop = 'stop'
  }
}

function readStop(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  const list = Array.isArray(value) ? value : [value]
  return list.map((item, index) => {
    if (typeof item !== 'string') throw wrong(Array.isArray(value) ? `stop[${index}]` : 'stop', 'a string or a list of strings', item)
    return item
  })
}

/** `paths.tools` says `functions` where the caller speaks the legacy form, and is answered in it. */
function readToolFields(body: Json, request: ChatRequest, paths: Paths): void {
  const tools = readTools(body)
  if (tools) {
    request.tools = tools
    paths.tools = body['functions'] !== undefined && body['tools'] === undefined ? 'functions' : 'tools'
  }
  const key = body['tool_choice'] === undefined && body['function_call'] !== undefined ? 'function_call' : 'tool_choice'
  const choice = readToolChoice(body, key)
  if (choice) {
    request.toolChoice = choice
    paths.toolChoice = key
  }
  const parallel = booleanField(body, 'parallel_tool_calls', '')
  if (parallel !== undefined) {
    request.parallelTools = parallel
    paths.parallelTools = 'parallel_tool_calls'
  }
}

function readOutputFields(body: Json, request: ChatRequest, paths: Paths): void {
  const output = readResponseFormat(body)
  if (output) {
    request.output = output
    paths.output = 'response_format'
  }
  const effort = wordField(body, 'reasoning_effort', '', EFFORTS)
  if (effort) {
    request.reasoning = { effort }
    paths.reasoning = 'reasoning_effort'
  }
  const verbosity = wordField(body, 'verbosity', '', ['low', 'medium', 'high'])
  if (verbosity) {
    request.verbosity = verbosity
    paths.verbosity = 'verbosity'
  }
  const top = integerField(body, 'top_logprobs', '')
  if (booleanField(body, 'logprobs', '')) {
    request.logprobs = { top: top ?? 0 }
    paths.logprobs = 'logprobs'
  } else if (top) {
    throw invalid('top_logprobs', 'top_logprobs needs logprobs. Send logprobs: true, or leave out top_logprobs.')
  }
  const bias = objectField(body, 'logit_bias', '')
  if (bias) {
    request.logitBias = bias
    paths.logitBias = 'logit_bias'
  }
}

function readResponseFormat(body: Json): OutputFormat | undefined {
  const format = objectField(body, 'response_format', '')
  if (!format) return undefined
  const type = wordField(format, 'type', 'response_format', ['text', 'json_object', 'json_schema'])
  if (type === undefined) throw wrong('response_format.type', '"text", "json_object" or "json_schema"', undefined)
  if (type !== 'json_schema') return { type: type === 'text' ? 'text' : 'json' }
  const path = 'response_format.json_schema'
  const inner = requiredObject(format, 'json_schema', 'response_format')
  const schema = objectField(inner, 'schema', path)
  if (!schema) return { type: 'json' }
  const output: OutputFormat = { type: 'schema', schema }
  const name = stringField(inner, 'name', path)
  const description = stringField(inner, 'description', path)
  const strict = booleanField(inner, 'strict', path)
  if (name !== undefined) output.name = name
  if (description !== undefined) output.description = description
  if (strict !== undefined) output.strict = strict
  return output
}

function readHints(body: Json, request: ChatRequest, paths: Paths): void {
  const key = (body['user'] ?? undefined) !== undefined ? 'user' : 'safety_identifier'
  const user = stringField(body, key, '')
  if (user !== undefined) {
    request.user = user
    paths.user = key
  }
  const metadata = objectField(body, 'metadata', '')
  if (metadata) {
    request.metadata = metadata
    paths.metadata = 'metadata'
  }
  const tier = stringField(body, 'service_tier', '')
  if (tier !== undefined) {
    request.serviceTier = tier
    paths.serviceTier = 'service_tier'
  }
  const cache = readCache(body)
  if (cache) {
    request.cache = cache
    paths.cache = 'cache_control'
  }
}

import {
  booleanField,
  integerField,
  listField,
  modelField,
  numberField,
  objectField,
  requiredObject,
  requiredWord,
  stringField,
  wordField,
  wrong,
} from '../../canonical/fields.ts'
import type { RequestLine } from '../../canonical/format.ts'
import { compact, isObject, type Json } from '../../canonical/json.ts'
import { type ChatRequest, EFFORTS, type OutputFormat, type RequestField } from '../../canonical/request.ts'
import { ownExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { readCache } from './blocks-read.ts'
import { readToolChoice, readTools } from './tools-read.ts'
import { readTurns } from './turns-read.ts'
import { ID } from './wire.ts'

/** Request while it is read. */
interface RequestDraft extends ChatRequest {
  paths: Partial<Record<RequestField, string>>
}

/** Numeric fields of a request, with their canonical names. */
export const NUMBERS = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['seed', 'seed'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['n', 'n'],
] as const

/** Fields with a reader below. `include_obfuscation` requests padding that only the vendor's stream has. */
const FIELDS: ReadonlySet<string> = new Set([
  ...NUMBERS.map(([key]) => key),
  ...['model', 'messages', 'stream', 'stream_options', 'max_completion_tokens', 'max_tokens', 'stop'],
  ...[
    'logprobs',
    'top_logprobs',
    'logit_bias',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'functions',
    'function_call',
  ],
  ...[
    'response_format',
    'reasoning_effort',
    'verbosity',
    'web_search_options',
    'service_tier',
    'user',
    'metadata',
    'cache_control',
  ],
])
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'json_schema'])
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'strict'])
const STREAM_FIELDS: ReadonlySet<string> = new Set(['include_usage', 'include_obfuscation'])

/** Reads a request. As for the vendor, null counts as absent. */
export function readRequest(body: Json, line: RequestLine = {}): ChatRequest {
  const model = modelField(body, line)
  refuseAudio(body)
  const options = objectField(body, 'stream_options', '') ?? {}
  const request: RequestDraft = {
    model,
    messages: readTurns(body),
    stream: booleanField(body, 'stream', '') ?? line.stream ?? false,
    streamUsage: booleanField(options, 'include_usage', 'stream_options') ?? false,
    paths: {},
  }
  readNumbers(body, request)
  readToolFields(body, request)
  readOutputFields(body, request)
  readHints(body, request)
  request.extensions = ownExtensions(ID, readExtensions(body, options, request.paths))
  return request
}

/** Vendor extensions of a request. Never undefined, since they mark callers of this format. */
function readExtensions(body: Json, options: Json, paths: ChatRequest['paths']): Json {
  const fields = unknownFields(body, FIELDS, unknownFields(options, STREAM_FIELDS, undefined, 'stream_options.')) ?? {}
  if (paths.maxTokens === 'max_completion_tokens' && isOther(body['max_tokens'], body['max_completion_tokens']))
    fields['max_tokens'] = body['max_tokens']
  if (paths.user === 'safety_identifier') delete fields['safety_identifier']
  if (Array.isArray(fields['modalities']) && fields['modalities'].every((item) => item === 'text'))
    delete fields['modalities']
  const format = body['response_format']
  if (!isObject(format)) return fields
  unknownFields(format, FORMAT_FIELDS, fields, 'response_format.')
  const inner = format['json_schema']
  if (!isObject(inner)) return fields
  // Without a schema, any JSON is valid, and only this format has a name and a description for it.
  if (isObject(inner['schema'])) unknownFields(inner, SCHEMA_FIELDS, fields, 'response_format.json_schema.')
  else fields['response_format.json_schema'] = inner
  return fields
}

/** True if the older of two names of a field also has a value, and it differs. The newer name takes precedence. */
function isOther(older: unknown, newer: unknown): boolean {
  return older !== undefined && older !== null && older !== newer
}

/**
 * Rejects requests for audio output, which the canonical model does not support. Such requests can only bypass
 * translation.
 */
function refuseAudio(body: Json): void {
  const modalities = listField(body, 'modalities', '') ?? []
  if (!modalities.includes('audio')) return
  throw invalid(
    'modalities',
    'modalities contains "audio", but the provider of this model cannot respond with audio. Remove "audio".',
  )
}

/** Sets a field and its path, if it has a value. */
function set<F extends RequestField>(
  request: RequestDraft,
  field: F,
  path: string,
  value: ChatRequest[F] | undefined,
): void {
  if (value === undefined) return
  request[field] = value
  request.paths[field] = path
}

function readNumbers(body: Json, request: RequestDraft): void {
  for (const [key, field] of NUMBERS) set(request, field, key, numberField(body, key, ''))
  if (request.n !== undefined && (!Number.isInteger(request.n) || request.n < 1))
    throw invalid('n', 'n must be a positive integer.')
  set(request, 'maxTokens', 'max_tokens', integerField(body, 'max_tokens', ''))
  set(request, 'maxTokens', 'max_completion_tokens', integerField(body, 'max_completion_tokens', ''))
  set(request, 'stop', 'stop', readStop(body['stop']))
}

function readStop(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  const list = Array.isArray(value) ? value : [value]
  return list.map((item, index) => {
    if (typeof item !== 'string')
      throw wrong(Array.isArray(value) ? `stop[${index}]` : 'stop', 'a string or a list of strings', item)
    return item
  })
}

/**
 * Reads tools. Their path is `functions` if the caller uses the `function_call` format; its response then uses that
 * format.
 */
function readToolFields(body: Json, request: RequestDraft): void {
  const asFunctionCall = body['functions'] !== undefined && body['tools'] === undefined
  set(request, 'tools', asFunctionCall ? 'functions' : 'tools', readTools(body))
  const choice =
    body['tool_choice'] === undefined && body['function_call'] !== undefined ? 'function_call' : 'tool_choice'
  set(request, 'toolChoice', choice, readToolChoice(body, choice))
  set(request, 'parallelTools', 'parallel_tool_calls', booleanField(body, 'parallel_tool_calls', ''))
}

function readOutputFields(body: Json, request: RequestDraft): void {
  set(request, 'output', 'response_format', readResponseFormat(body))
  const effort = wordField(body, 'reasoning_effort', '', EFFORTS)
  set(request, 'reasoning', 'reasoning_effort', effort && { effort })
  set(request, 'verbosity', 'verbosity', wordField(body, 'verbosity', '', ['low', 'medium', 'high']))
  const top = integerField(body, 'top_logprobs', '')
  if (booleanField(body, 'logprobs', '')) set(request, 'logprobs', 'logprobs', { top: top ?? 0 })
  else if (top)
    throw invalid('top_logprobs', 'top_logprobs requires logprobs. Send logprobs: true, or remove top_logprobs.')
  set(request, 'logitBias', 'logit_bias', objectField(body, 'logit_bias', ''))
}

function readResponseFormat(body: Json): OutputFormat | undefined {
  const format = objectField(body, 'response_format', '')
  if (!format) return undefined
  const type = requiredWord(format, 'type', 'response_format', ['text', 'json_object', 'json_schema'])
  if (type !== 'json_schema') return { type: type === 'text' ? 'text' : 'json' }
  const path = 'response_format.json_schema'
  const inner = requiredObject(format, 'json_schema', 'response_format')
  const schema = objectField(inner, 'schema', path)
  if (!schema) return { type: 'json' }
  return compact<OutputFormat & { type: 'schema' }>({
    type: 'schema',
    schema,
    name: stringField(inner, 'name', path),
    description: stringField(inner, 'description', path),
    strict: booleanField(inner, 'strict', path),
  })
}

function readHints(body: Json, request: RequestDraft): void {
  const user = (body['user'] ?? undefined) === undefined ? 'safety_identifier' : 'user'
  set(request, 'user', user, stringField(body, user, ''))
  set(request, 'metadata', 'metadata', objectField(body, 'metadata', ''))
  set(request, 'serviceTier', 'service_tier', stringField(body, 'service_tier', ''))
  set(request, 'cache', 'cache_control', readCache(body))
}

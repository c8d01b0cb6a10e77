import {
  booleanField,
  integerField,
  modelField,
  numberField,
  objectField,
  requiredName,
  requiredObject,
  requiredWord,
  stringField,
  stringsField,
  wordField,
} from '../../canonical/fields.ts'
import type { RequestLine } from '../../canonical/format.ts'
import { compact, type Json } from '../../canonical/json.ts'
import {
  type ChatRequest,
  EFFORTS,
  type OutputFormat,
  type Reasoning,
  type RequestField,
} from '../../canonical/request.ts'
import { unknownFields } from '../../canonical/vendor-extensions.ts'
import { choiceFields, readToolChoice, readTools } from './tools-read.ts'
import { readTurns } from './turns-read.ts'
import { ID } from './wire.ts'

/** Fields with a reader below. `include_obfuscation` requests padding that only the vendor's stream has. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'stream', 'stream_options', 'tools', 'tool_choice', 'parallel_tool_calls'],
  ...['max_output_tokens', 'temperature', 'top_p', 'top_logprobs', 'reasoning', 'text', 'include', 'truncation'],
  ...['metadata', 'service_tier', 'user', 'safety_identifier'],
])
const STREAM_FIELDS: ReadonlySet<string> = new Set(['include_obfuscation'])
const REASONING_FIELDS: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary'])
const TEXT_FIELDS: ReadonlySet<string> = new Set(['format', 'verbosity'])
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'schema', 'strict'])

/** Fields that refer to stored turns. Without them, the request would mean something else. */
const ESSENTIAL = ['previous_response_id', 'conversation', 'prompt'] as const

/** Parts of a response that a caller must request with `include`. */
export const ENCRYPTED = 'reasoning.encrypted_content'
export const LOGPROBS = 'message.output_text.logprobs'

/** Paths of fields that have only one path. */
const PATHS: Partial<Record<RequestField, string>> = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  logprobs: 'top_logprobs',
  output: 'text.format',
  reasoning: 'reasoning',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelTools: 'parallel_tool_calls',
  metadata: 'metadata',
  serviceTier: 'service_tier',
  verbosity: 'text.verbosity',
}

/**
 * Reads a request. As for the vendor, null counts as absent.
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @throws HeadgateError of kind `invalid-request` with the field.
 */
export function readRequest(body: Json, line: RequestLine = {}): ChatRequest {
  const output = objectField(body, 'text', '') ?? {}
  const include = stringsField(body, 'include', '') ?? []
  const top = integerField(body, 'top_logprobs', '')
  const user = (body['user'] ?? undefined) === undefined ? 'safety_identifier' : 'user'
  return compact<ChatRequest>({
    model: modelField(body, line),
    messages: readTurns(body),
    stream: booleanField(body, 'stream', '') ?? line.stream ?? false,
    streamUsage: true,
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    parallelTools: booleanField(body, 'parallel_tool_calls', ''),
    maxTokens: integerField(body, 'max_output_tokens', ''),
    temperature: numberField(body, 'temperature', ''),
    topP: numberField(body, 'top_p', ''),
    logprobs: top || include.includes(LOGPROBS) ? { top: top ?? 0 } : undefined,
    output: readFormat(output),
    verbosity: wordField(output, 'verbosity', 'text', ['low', 'medium', 'high']),
    reasoning: readReasoning(body),
    encryptedReasoning: include.includes(ENCRYPTED) || undefined,
    user: stringField(body, user, ''),
    metadata: objectField(body, 'metadata', ''),
    serviceTier: stringField(body, 'service_tier', ''),
    paths: { ...PATHS, user, ...(!top && { logprobs: 'include' }) },
    extensions: extensionsFor(readExtensions(body, output, include, user)),
  })
}

/** Vendor extensions of a request. Never undefined, since they mark callers of this format. */
function extensionsFor(fields: Json): ChatRequest['extensions'] {
  const essential = ESSENTIAL.filter((key) => fields[key] !== undefined)
  return { format: ID, fields, ...(essential.length > 0 && { essential }) }
}

function readFormat(output: Json): OutputFormat | undefined {
  const format = objectField(output, 'format', 'text')
  if (!format) return undefined
  const path = 'text.format'
  const type = requiredWord(format, 'type', path, ['text', 'json_object', 'json_schema'])
  if (type !== 'json_schema') return { type: type === 'text' ? 'text' : 'json' }
  return compact<OutputFormat & { type: 'schema' }>({
    type: 'schema',
    schema: requiredObject(format, 'schema', path),
    name: requiredName(format, 'name', path),
    description: stringField(format, 'description', path),
    strict: booleanField(format, 'strict', path),
  })
}

function readReasoning(body: Json): Reasoning | undefined {
  const given = objectField(body, 'reasoning', '')
  if (!given) return undefined
  const effort = wordField(given, 'effort', 'reasoning', EFFORTS)
  const summary = stringField(given, 'summary', 'reasoning') ?? stringField(given, 'generate_summary', 'reasoning')
  if (effort === undefined && summary === undefined) return undefined
  return { ...(effort !== undefined && { effort }), ...(summary !== undefined && { show: summary !== 'none' }) }
}

/** Fields without a canonical member. */
function readExtensions(body: Json, output: Json, include: readonly string[], user: string): Json {
  const fields = unknownFields(body, FIELDS) ?? {}
  unknownFields(objectField(body, 'stream_options', '') ?? {}, STREAM_FIELDS, fields, 'stream_options.')
  const reasoning = objectField(body, 'reasoning', '') ?? {}
  unknownFields(reasoning, REASONING_FIELDS, fields, 'reasoning.')
  const summary = reasoning['summary'] ?? reasoning['generate_summary']
  if (typeof summary === 'string' && summary !== 'auto' && summary !== 'none') fields['reasoning.summary'] = summary
  // The newer name takes precedence.
  if (reasoning['summary'] && reasoning['generate_summary'])
    fields['reasoning.generate_summary'] = reasoning['generate_summary']
  unknownFields(output, TEXT_FIELDS, fields, 'text.')
  unknownFields(objectField(output, 'format', 'text') ?? {}, FORMAT_FIELDS, fields, 'text.format.')
  const others = include.filter((item) => item !== ENCRYPTED && item !== LOGPROBS)
  if (others.length > 0) fields['include'] = [...include]
  if (user === 'user' && typeof body['safety_identifier'] === 'string')
    fields['safety_identifier'] = body['safety_identifier']
  // The vendor truncates only on request.
  if (body['truncation'] === 'auto') fields['truncation'] = 'auto'
  return choiceFields(body, fields)
}

import {
  booleanField,
  integerField,
  join,
  modelField,
  numberField,
  objectField,
  requiredObject,
  requiredWord,
  stringField,
  stringsField,
  wordField,
  wrong,
} from '../../canonical/fields.ts'
import type { RequestLine } from '../../canonical/format.ts'
import { compact, type Json } from '../../canonical/json.ts'
import type { ChatRequest, Message, OutputFormat, Reasoning, RequestField } from '../../canonical/request.ts'
import { extensionsOf, unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { readCache } from './blocks-read.ts'
import { readToolChoice, readTools } from './tools-read.ts'
import { readTurns } from './turns-read.ts'
import { ID } from './wire.ts'

/** Fields with a reader below. */
const FIELDS: ReadonlySet<string> = new Set([
  ...[
    'model',
    'messages',
    'system',
    'stream',
    'max_tokens',
    'temperature',
    'top_p',
    'top_k',
    'stop_sequences',
    'tools',
    'tool_choice',
  ],
  ...['thinking', 'output_config', 'output_format', 'metadata', 'service_tier', 'cache_control'],
])
const METADATA_FIELDS: ReadonlySet<string> = new Set(['user_id'])

/** Fields that add tools. Without them, the request would mean something else. */
const ESSENTIAL = ['mcp_servers', 'container'] as const

/** Paths of fields that have only one path. */
const PATHS: Partial<Record<RequestField, string>> = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop_sequences',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelTools: 'tool_choice.disable_parallel_tool_use',
  user: 'metadata.user_id',
  serviceTier: 'service_tier',
  cache: 'cache_control',
}

/**
 * Reads a request.
 * @see https://platform.claude.com/docs/en/api/messages
 * @throws HeadgateError of kind `invalid-request` with the field.
 */
export function readRequest(body: Json, line: RequestLine = {}): ChatRequest {
  const messages = readTurns(body)
  const { reasoning, output, paths, fields } = readOutput(body, unknownFields(body, FIELDS))
  const tools = readTools(body)
  const choice = readToolChoice(body, tools)
  const metadata = objectField(body, 'metadata', '') ?? {}
  const tier = wordField(body, 'service_tier', '', ['auto', 'standard_only'])
  return compact<ChatRequest>({
    model: modelField(body, line),
    messages,
    prefilled: isPrefilled(messages) || undefined,
    stream: booleanField(body, 'stream', '') ?? line.stream ?? false,
    streamUsage: true,
    tools,
    toolChoice: choice?.choice,
    parallelTools: choice?.parallel,
    maxTokens: readMaxTokens(body),
    temperature: numberField(body, 'temperature', ''),
    topP: numberField(body, 'top_p', ''),
    topK: integerField(body, 'top_k', ''),
    stop: stringsField(body, 'stop_sequences', ''),
    output,
    reasoning,
    user: stringField(metadata, 'user_id', 'metadata'),
    serviceTier: tier === 'standard_only' ? 'default' : tier,
    cache: readCache(body, ''),
    paths,
    extensions: extensionsOf(ID, unknownFields(metadata, METADATA_FIELDS, fields, 'metadata.'), ESSENTIAL),
  })
}

/** True if the last turn belongs to the assistant, since the vendor continues it. */
function isPrefilled(messages: readonly Message[]): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.blocks.at(-1)?.type === 'text'
}

function readMaxTokens(body: Json): number | undefined {
  const tokens = integerField(body, 'max_tokens', '')
  if (tokens !== undefined && tokens < 0) throw invalid('max_tokens', 'max_tokens is negative. Send 0 or more.')
  return tokens
}

interface OutputSettings {
  reasoning: Reasoning | undefined
  output: OutputFormat | undefined
  paths: ChatRequest['paths']
  /** Vendor extensions. */
  fields: Json | undefined
}

const CONFIG_FIELDS: ReadonlySet<string> = new Set(['effort', 'format'])
/** Fields with a reader, except an effort without effect, which is preserved for the vendor. */
const CONFIG_FIELDS_BUT_EFFORT: ReadonlySet<string> = new Set(['format'])
const THINKING_FIELDS: ReadonlySet<string> = new Set(['type', 'budget_tokens', 'display'])
const NO_FIELDS: ReadonlySet<string> = new Set()

/** Reads the output format and the reasoning settings, which share `output_config`. */
function readOutput(body: Json, extra: Json | undefined): OutputSettings {
  const config = objectField(body, 'output_config', '') ?? {}
  const thinking = objectField(body, 'thinking', '')
  const effort = wordField(config, 'effort', 'output_config', ['low', 'medium', 'high', 'xhigh', 'max'])
  // An effort alone does not enable thinking, so its caller does not expect reasoning.
  const reasoning = thinking ? readThinking(thinking, effort) : effort && { effort, show: false }
  const meant = !effort || reasoning?.effort === effort
  let fields = unknownFields(config, meant ? CONFIG_FIELDS : CONFIG_FIELDS_BUT_EFFORT, extra, 'output_config.')
  if (thinking)
    fields = unknownFields(
      thinking,
      thinking['type'] === 'between_tools' ? NO_FIELDS : THINKING_FIELDS,
      fields,
      'thinking.',
    )
  const format = objectField(config, 'format', 'output_config')
  // The newer name takes precedence.
  if (format && body['output_format'] !== undefined && body['output_format'] !== null)
    fields = { ...fields, output_format: body['output_format'] }
  const [owner, at, key] = format
    ? ([config, 'output_config', 'format'] as const)
    : ([body, '', 'output_format'] as const)
  const path = join(at, key)
  return {
    reasoning,
    output: readFormat(owner, key, at),
    paths: { ...PATHS, reasoning: thinking ? 'thinking' : 'output_config.effort', output: path },
    fields,
  }
}

function readThinking(thinking: Json, effort: Reasoning['effort']): Reasoning {
  const type = requiredWord(thinking, 'type', 'thinking', ['enabled', 'adaptive', 'disabled', 'between_tools'])
  if (type === 'disabled') return { effort: 'none' }
  // The nearest setting of other formats. The vendor extensions preserve the original.
  if (type === 'between_tools') return { effort: 'minimal' }
  const display = stringField(thinking, 'display', 'thinking')
  const show = display === undefined ? undefined : { show: display !== 'omitted' }
  if (type === 'adaptive') return { adaptive: true, ...(effort && { effort }), ...show }
  const budget = integerField(thinking, 'budget_tokens', 'thinking')
  if (budget === undefined) throw wrong('thinking.budget_tokens', 'an integer', thinking['budget_tokens'])
  return { budget, ...show }
}

function readFormat(owner: Json, key: string, at: string): OutputFormat | undefined {
  const format = objectField(owner, key, at)
  if (!format) return undefined
  const path = join(at, key)
  requiredWord(format, 'type', path, ['json_schema'])
  return { type: 'schema', schema: requiredObject(format, 'schema', path) }
}

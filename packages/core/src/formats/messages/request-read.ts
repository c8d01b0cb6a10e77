import type { Side } from '../../chat/block.ts'
import type { RequestLine } from '../../chat/format.ts'
import type { Json } from '../../chat/json.ts'
import type { ChatRequest, Message, OutputFormat, Reasoning, RequestField } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import { booleanAt, integerAt, listAt, maybe, numberAt, objectAt, rest, stringAt, wordAt } from './check.ts'
import { readCache, readContent, readSystem } from './request-blocks.ts'
import { side } from './side.ts'
import { readToolChoice, readTools } from './tools-read.ts'
import { FORMAT } from './wire.ts'

const KNOWN = new Set([
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
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'cache_control',
])

/** Wire paths of the fields that have one place only. */
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
 * The request in the canonical model.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 * @throws HeadgateError `invalid-request` naming the field.
 */
export function readRequest(body: Json, line: RequestLine = {}): ChatRequest {
  const extra: Json = rest(body, KNOWN) ?? {}
  const messages = readMessages(body)
  const { reasoning, output, paths } = readOutput(body, extra)
  const choice = readToolChoice(body['tool_choice'])
  const user = readUser(body, extra)
  const tier = maybe(body['service_tier'], 'service_tier', (value, path) => wordAt(value, ['auto', 'standard_only'], path))
  return defined({
    model: stringAt(body['model'] ?? line.model, 'model'),
    messages,
    stream: maybe(body['stream'], 'stream', booleanAt) ?? line.stream ?? false,
    streamUsage: true,
    tools: maybe(body['tools'], 'tools', readTools),
    toolChoice: choice?.choice,
    parallelTools: choice?.parallel,
    maxTokens: maybe(body['max_tokens'], 'max_tokens', tokensAt),
    temperature: maybe(body['temperature'], 'temperature', numberAt),
    topP: maybe(body['top_p'], 'top_p', numberAt),
    topK: maybe(body['top_k'], 'top_k', integerAt),
    stop: maybe(body['stop_sequences'], 'stop_sequences', stringsAt),
    output,
    reasoning,
    user,
    serviceTier: tier === 'standard_only' ? 'default' : tier,
    cache: readCache(body['cache_control'], 'cache_control'),
    paths,
    side: sideOf(extra),
  })
}

/** Fields that bring tools of their own: without them the request is another one. */
const ESSENTIAL = ['mcp_servers', 'container']

function sideOf(extra: Json): Side | undefined {
  const fields = Object.keys(extra)
  if (fields.length === 0) return undefined
  const essential = ESSENTIAL.filter((key) => fields.includes(key))
  return { format: FORMAT, fields: extra, ...(essential.length > 0 && { essential }) }
}

/** The request without the fields that are undefined. */
function defined(request: { [Key in keyof ChatRequest]: ChatRequest[Key] | undefined }): ChatRequest {
  const out: Json = {}
  for (const [key, value] of Object.entries(request)) if (value !== undefined) out[key] = value
  return out as unknown as ChatRequest
}

function tokensAt(value: unknown, path: string): number {
  const tokens = integerAt(value, path)
  if (tokens < 0) throw invalid(path, `${path} must not be negative.`)
  return tokens
}

function stringsAt(value: unknown, path: string): string[] {
  return listAt(value, path).map((item, index) => stringAt(item, `${path}[${index}]`))
}

function readMessages(body: Json): Message[] {
  const turns = listAt(body['messages'], 'messages').map((value, index) => readMessage(value, `messages[${index}]`))
  if (body['system'] === undefined || body['system'] === null) return turns
  const blocks = readSystem(body['system'], 'system')
  return blocks.length > 0 ? [{ role: 'system', at: 'system', blocks }, ...turns] : turns
}

const MESSAGE = new Set(['role', 'content'])

function readMessage(value: unknown, at: string): Message {
  const message = objectAt(value, at)
  const role = wordAt(message['role'], ['user', 'assistant', 'system'], `${at}.role`)
  const left = side(rest(message, MESSAGE))
  const content = `${at}.content`
  const blocks = role === 'system' ? readSystem(message['content'], content) : readContent(message['content'], content)
  for (const block of blocks) {
    const owner = block.type === 'tool-result' ? 'user' : block.type === 'tool-call' || block.type === 'reasoning' ? 'assistant' : role
    if (owner !== role) throw invalid(block.at, `${block.at} is a block of ${owner} messages, but the message has the role ${role}.`)
  }
  return { role, at, blocks, ...(left && { side: left }) }
}

function readUser(body: Json, extra: Json): string | undefined {
  const metadata = maybe(body['metadata'], 'metadata', objectAt)
  if (!metadata) return undefined
  keep(extra, 'metadata', rest(metadata, new Set(['user_id'])))
  return maybe(metadata['user_id'], 'metadata.user_id', stringAt)
}

function keep(extra: Json, key: string, left: Json | undefined): void {
  if (left) extra[key] = left
}

interface Output {
  reasoning: Reasoning | undefined
  output: OutputFormat | undefined
  paths: ChatRequest['paths']
}

/** What the answer must be, and how much is thought before it: the fields share `output_config`. */
function readOutput(body: Json, extra: Json): Output {
  const config = maybe(body['output_config'], 'output_config', objectAt) ?? {}
  const thinking = maybe(body['thinking'], 'thinking', objectAt)
  const effort = maybe(config['effort'], 'output_config.effort', effortAt)
  const reasoning = thinking ? readThinking(thinking, effort) : effort && { effort }
  const known = new Set(['effort', 'format'])
  if (effort && reasoning?.effort !== effort) known.delete('effort')
  keep(extra, 'output_config', rest(config, known))
  if (thinking) keep(extra, 'thinking', rest(thinking, thinking['type'] === 'between_tools' ? NOTHING : THINKING))
  const current = config['format'] !== undefined && config['format'] !== null
  const path = current ? 'output_config.format' : 'output_format'
  return {
    reasoning,
    output: maybe(current ? config['format'] : body['output_format'], path, readFormat),
    paths: { ...PATHS, reasoning: thinking ? 'thinking' : 'output_config.effort', output: path },
  }
}

function effortAt(value: unknown, path: string) {
  return wordAt(value, ['low', 'medium', 'high', 'xhigh', 'max'], path)
}

const THINKING = new Set(['type', 'budget_tokens', 'display'])
const NOTHING = new Set<string>()

function readThinking(thinking: Json, effort: Reasoning['effort']): Reasoning {
  const type = wordAt(thinking['type'], ['enabled', 'adaptive', 'disabled', 'between_tools'], 'thinking.type')
  if (type === 'disabled') return { effort: 'none' }
  // The nearest that other formats have: a little thinking. The side-channel keeps the vendor's own word.
  if (type === 'between_tools') return { effort: 'minimal' }
  const display = maybe(thinking['display'], 'thinking.display', stringAt)
  const show = display === undefined ? undefined : { show: display !== 'omitted' }
  if (type === 'enabled') return { budget: integerAt(thinking['budget_tokens'], 'thinking.budget_tokens'), ...show }
  return { adaptive: true, ...(effort && { effort }), ...show }
}

function readFormat(value: unknown, path: string): OutputFormat {
  const format = objectAt(value, path)
  wordAt(format['type'], ['json_schema'], `${path}.type`)
  return { type: 'schema', schema: objectAt(format['schema'], `${path}.schema`) }
}

import {
  type Block,
  type ChatResponse,
  type Citation,
  compact,
  count,
  type Finish,
  type FinishReason,
  isObject,
  type Json,
  number,
  type Origin,
  object,
  objects,
  type Signature,
  text,
  tierOf,
  type Usage,
  unknownFields,
} from '@headgate/core/codec'
import { ID } from './writing.ts'

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
}

/** Reason why a response ended, with the stop sequence if the vendor returned it. */
export function readFinish({ stopReason, additionalModelResponseFields: more }: Json): Finish {
  const raw = text(stopReason)
  const sequence = text(object(more)?.['stop_sequence']) ?? text(object(object(more)?.['delta'])?.['stop_sequence'])
  return {
    reason: (raw !== undefined && Object.hasOwn(FINISH, raw) ? FINISH[raw] : undefined) ?? 'stop',
    ...(raw !== undefined && { raw }),
    ...(sequence !== undefined && { sequence }),
  }
}

/**
 * Usage. Tokens read from or written to a cache are separate from `inputTokens`.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
export function readUsage(value: unknown, tier?: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const [input, output] = [count(value['inputTokens']), count(value['outputTokens'])]
  if (input === undefined && output === undefined) return undefined
  const cacheRead = count(value['cacheReadInputTokens'])
  const cacheWrite = count(value['cacheWriteInputTokens'])
  const long = objects(value['cacheDetails']).find(({ ttl }) => ttl === '1h')
  return compact<Usage>({
    input: (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0),
    output: output ?? 0,
    cacheRead,
    cacheWrite,
    cacheWriteLong: count(long?.['inputTokens']),
    tier: tierOf(object(tier)?.['type']),
  })
}

export function signatureOf(value: unknown, origin: Origin | undefined): { signature?: Signature } {
  const signer = origin?.signer
  return typeof value === 'string' && value !== '' && signer !== undefined ? { signature: { signer, value } } : {}
}

/** Citation of a whole response or of a stream. */
export function readCitation({ title, location, sourceContent }: Json): Citation {
  const place = object(location) ?? {}
  const web = object(place['web'])
  const cited = objects(sourceContent).map((one) => text(one['text']) ?? '')
  return compact<Citation>({
    url: text(web?.['url']),
    title: text(title) ?? text(web?.['domain']),
    cited: cited.length > 0 ? cited.join('\n') : undefined,
    extensions: web || !isObject(location) ? undefined : { format: ID, fields: { location } },
  })
}

export function isHosted({ type, name }: Json): boolean {
  return type === 'server_tool_use' || (typeof name === 'string' && name.startsWith('nova_'))
}

/** Text of a built-in tool's result. */
export function resultText(content: unknown): string {
  return objects(content)
    .map((one) => text(one['text']) ?? (one['json'] === undefined ? '' : JSON.stringify(one['json'])))
    .join('\n')
}

function readBlock(block: Json, names: ReadonlyMap<string, string>, origin: Origin | undefined): Block | undefined {
  const { text: said, toolUse, toolResult, reasoningContent, citationsContent, image } = block
  if (typeof said === 'string') return { type: 'text', text: said }
  if (isObject(toolUse)) {
    const { toolUseId, name, input } = toolUse
    const call = { id: text(toolUseId) ?? '', name: text(name) ?? '', arguments: JSON.stringify(input ?? {}) }
    return isHosted(toolUse) ? { type: 'hosted-call', ...call } : { type: 'tool-call', ...call }
  }
  if (isObject(toolResult)) {
    const id = text(toolResult['toolUseId']) ?? ''
    return { type: 'hosted-result', id, name: names.get(id) ?? 'tool', text: resultText(toolResult['content']) }
  }
  if (isObject(reasoningContent)) {
    const { reasoningText, redactedContent } = reasoningContent
    if (typeof redactedContent === 'string')
      return { type: 'reasoning', text: '', redacted: true, ...signatureOf(redactedContent, origin) }
    if (!isObject(reasoningText)) return undefined
    return {
      type: 'reasoning',
      text: text(reasoningText['text']) ?? '',
      ...signatureOf(reasoningText['signature'], origin),
    }
  }
  if (isObject(citationsContent)) {
    const whole = objects(citationsContent['content']).map((one) => text(one['text']) ?? '')
    return { type: 'text', text: whole.join(''), citations: objects(citationsContent['citations']).map(readCitation) }
  }
  const bytes = text(object(object(image)?.['source'])?.['bytes'])
  if (bytes === undefined) return undefined
  return {
    type: 'media',
    kind: 'image',
    mime: `image/${text(object(image)?.['format']) ?? 'png'}`,
    source: { type: 'base64', data: bytes },
  }
}

/** Known members. Latency and tier are not part of the response; usage has the tier. */
const KNOWN = new Set(['output', 'stopReason', 'usage', 'metrics', 'serviceTier'])

export function readResponse(body: Json, origin?: Origin): ChatResponse {
  const content = objects(object(object(body['output'])?.['message'])?.['content'])
  const names = new Map(
    content.flatMap(({ toolUse }) => {
      const { toolUseId, name } = object(toolUse) ?? {}
      return typeof toolUseId === 'string' && typeof name === 'string' ? [[toolUseId, name] as const] : []
    }),
  )
  const blocks = content.flatMap((block) => readBlock(block, names, origin) ?? [])
  const usage = readUsage(body['usage'], body['serviceTier'])
  const fields = unknownFields(body, KNOWN)
  return {
    choices: [{ blocks, finish: readFinish(body) }],
    ...(usage && { usage }),
    ...(fields && { extensions: { format: ID, fields } }),
  }
}

export function indexOf({ contentBlockIndex }: Json): number {
  return number(contentBlockIndex) ?? 0
}

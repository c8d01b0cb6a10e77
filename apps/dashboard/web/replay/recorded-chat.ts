import type { RecordedCall } from '../api/usage.ts'

/** Message of a conversation, as text. */
export interface ReplayMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** Recorded chat request, as the playground can send it again. */
export interface RecordedChat {
  readonly format: 'chat-completions' | 'responses' | 'messages' | 'generate-content'
  readonly model: string
  readonly system: string
  /** Messages before the last one of the user. */
  readonly before: readonly ReplayMessage[]
  /** Last message of the user. */
  readonly prompt: string
  /** Tools as JSON; empty = none. */
  readonly tools: string
  readonly maxTokens: string
  readonly temperature: string
  /** True if images, files or results of tools are left out. */
  readonly isPartial: boolean
}

const FORMATS = [
  { format: 'chat-completions', path: /\/chat\/completions$/ },
  { format: 'responses', path: /\/responses$/ },
  { format: 'messages', path: /\/messages$/ },
  { format: 'generate-content', path: /\/models\/([^/:]+):(?:streamG|g)enerateContent$/ },
] as const

/** Chat request in a recorded call of a client; undefined if it is another request, or its body is not whole. */
export function recordedChat({ url, body, provider }: RecordedCall): RecordedChat | undefined {
  const path = url.split('?')[0] ?? ''
  const found = FORMATS.find((one) => one.path.test(path))
  const read = body.isCut || provider !== undefined ? undefined : parsed(body.text)
  if (!found || !isRecord(read)) return undefined
  const { format } = found
  const generation = isRecord(read['generationConfig']) ? read['generationConfig'] : {}
  const given = read['messages'] ?? read['contents'] ?? read['input']
  const items: readonly unknown[] =
    typeof given === 'string' ? [{ role: 'user', content: given }] : Array.isArray(given) ? given : []
  const texts = items.map(messageOf)
  const instructions = contentOf(read['system'] ?? read['instructions'] ?? read['systemInstruction'])
  const systems = texts.filter(({ role }) => role === 'system' || role === 'developer').map(({ text }) => text)
  const messages = texts.flatMap(({ role, text }): ReplayMessage[] => {
    if (text === '' || role === 'system' || role === 'developer') return []
    return [{ role: role === 'assistant' || role === 'model' ? 'assistant' : 'user', text }]
  })
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) return undefined
  return {
    format,
    model: textIn(read['model']) || decodeURIComponent(found.path.exec(path)?.[1] ?? ''),
    system: [instructions.text, ...systems].filter((text) => text !== '').join('\n\n'),
    before: messages.slice(0, last),
    prompt: messages[last]?.text ?? '',
    tools: Array.isArray(read['tools']) && format !== 'generate-content' ? JSON.stringify(read['tools'], null, 2) : '',
    maxTokens: numberIn(
      read['max_tokens'] ?? read['max_completion_tokens'] ?? read['max_output_tokens'] ?? generation['maxOutputTokens'],
    ),
    temperature: numberIn(read['temperature'] ?? generation['temperature']),
    isPartial:
      instructions.isPartial || texts.some((one) => one.isPartial || one.text === '') || last + 1 < messages.length,
  }
}

interface ContentText {
  readonly text: string
  readonly isPartial: boolean
}

function messageOf(item: unknown): ContentText & { readonly role: string } {
  if (!isRecord(item)) return { role: 'user', text: '', isPartial: true }
  const content = contentOf(item['content'] ?? { parts: item['parts'] })
  return { ...content, role: textIn(item['role']) || 'user', isPartial: content.isPartial || 'tool_calls' in item }
}

/** Text of content: a string, a list of parts, or an object with parts. */
function contentOf(content: unknown): ContentText {
  if (typeof content === 'string') return { text: content, isPartial: false }
  if (isRecord(content)) return contentOf(content['parts'])
  if (!Array.isArray(content)) return { text: '', isPartial: false }
  const texts = content.map((part: unknown) => (isRecord(part) ? textIn(part['text']) : textIn(part)))
  return { text: texts.filter((text) => text !== '').join('\n'), isPartial: texts.includes('') }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberIn(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : ''
}

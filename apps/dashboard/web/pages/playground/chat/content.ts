import { isRecord, listOf, messageOf, parsed, textOf } from '../wire/call.ts'
import { type ChatReply, MAX_CALLS, NO_RESPONSE, numberOf } from './completion.ts'

/** Reasons of the generateContent format in the terms of the page. */
const FINISHES: ReadonlyMap<string, string> = new Map([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
])

/** Adds an event of a generateContent stream to a response. */
export function withContent(answer: ChatReply, data: string): ChatReply {
  const body = parsed(data)
  if (!isRecord(body)) return answer
  const error = messageOf(body)
  if (error !== undefined) return { ...answer, error }
  const candidate = listOf(body['candidates'])[0]
  const content = isRecord(candidate) ? candidate['content'] : undefined
  const parts = isRecord(content) ? listOf(content['parts']) : []
  const finish = isRecord(candidate) ? textOf(candidate['finishReason']) : ''
  const { usageMetadata: usage } = body
  return {
    ...parts.reduce<ChatReply>(withPart, answer),
    finish: FINISHES.get(finish) ?? (finish.toLowerCase() || answer.finish),
    usage: isRecord(usage)
      ? {
          input: numberOf(usage['promptTokenCount']),
          output: numberOf(usage['candidatesTokenCount']) + numberOf(usage['thoughtsTokenCount']),
        }
      : answer.usage,
  }
}

/** Parses a response of the generateContent format that is not streamed. */
export function readContent(text: string): ChatReply {
  const body = parsed(text)
  if (!isRecord(body) || !Array.isArray(body['candidates']))
    return { ...NO_RESPONSE, error: 'The response is not generated content.' }
  return withContent(NO_RESPONSE, text)
}

function withPart(answer: ChatReply, part: unknown): ChatReply {
  if (!isRecord(part)) return answer
  const call = part['functionCall']
  if (isRecord(call) && answer.calls.length < MAX_CALLS) {
    const name = textOf(call['name'])
    const id = textOf(call['id']) || `${name}-${answer.calls.length + 1}`
    const signature = textOf(part['thoughtSignature'])
    const next = {
      id,
      name,
      arguments: JSON.stringify(call['args'] ?? {}),
      extra: signature === '' ? undefined : { thoughtSignature: signature },
    }
    return { ...answer, calls: [...answer.calls, next] }
  }
  const field = part['thought'] === true ? 'reasoning' : 'text'
  return { ...answer, [field]: answer[field] + textOf(part['text']) }
}

import { integerField, wrong } from '../../canonical/fields.ts'
import type { RequestLine } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { invalid } from '../../errors.ts'
import { chatCompletions } from '../chat-completions/index.ts'

/** Fields that only a provider with legacy completions supports, with their default values. */
const NATIVE_FIELDS = [
  ['suffix', ''],
  ['echo', false],
  ['best_of', 1],
] as const

function nativeOnly(field: string, what: string): Error {
  return invalid(
    field,
    `${field}: ${what} requires a provider with legacy completions, but this model is served by chat. Remove it, or choose another model.`,
  )
}

/**
 * String of a prompt.
 * @throws HeadgateError for tokens and for several strings.
 */
function textOf(prompt: unknown): string {
  if (typeof prompt === 'string') return prompt
  if (!Array.isArray(prompt)) throw wrong('prompt', 'a string', prompt)
  const [first] = prompt
  if (typeof first === 'number' || Array.isArray(first)) throw nativeOnly('prompt', 'a prompt of tokens')
  if (prompt.length !== 1 || typeof first !== 'string') throw nativeOnly('prompt', 'a prompt that is not one string')
  return first
}

/**
 * Reads a legacy completion as a conversation with one user message. All other fields have the same meaning as in chat
 * completions, except `logprobs`, which is the number of alternatives.
 * @throws HeadgateError of kind `invalid-request` for `suffix`, `echo`, `best_of`, or a prompt that is not one string.
 */
export function readRequest(body: Json, line: RequestLine = {}): ChatRequest {
  for (const [field, neutral] of NATIVE_FIELDS) {
    const value = body[field] ?? neutral
    if (value !== neutral) throw nativeOnly(field, 'this')
  }
  const text = textOf(body['prompt'])
  const { prompt: _, suffix: __, echo: ___, best_of: ____, ...rest } = body
  const top = integerField(body, 'logprobs', '')
  const chat: Json = {
    ...rest,
    messages: [{ role: 'user', content: text }],
    logprobs: top !== undefined,
    top_logprobs: top,
  }
  const request = chatCompletions.readRequest(chat, line)
  return { ...request, messages: [{ role: 'user', at: 'prompt', blocks: [{ type: 'text', at: 'prompt', text }] }] }
}

/** Rejects a body without a prompt before bypass. */
export function checkPrompt({ prompt }: Json): void {
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) throw wrong('prompt', 'a string', prompt ?? undefined)
}

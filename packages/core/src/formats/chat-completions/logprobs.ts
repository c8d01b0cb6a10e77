import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { TokenLogprob } from '../../canonical/response.ts'

/** Tokens of a `logprobs` object. For a refusal, the tokens of the refusal. */
export function readLogprobs(value: unknown): TokenLogprob[] | undefined {
  if (!isObject(value)) return undefined
  const content = objects(value['content'])
  const tokens = content.length > 0 ? content : objects(value['refusal'])
  return readTokens(tokens)
}

/** List of tokens. Undefined if it is empty. */
export function readTokens(value: unknown): TokenLogprob[] | undefined {
  const tokens = objects(value)
  return tokens.length > 0 ? tokens.map(readToken) : undefined
}

function readToken(item: Json): TokenLogprob {
  const top = objects(item['top_logprobs'])
  const token: TokenLogprob = readAlternative(item)
  if (top.length > 0) token.top = top.map(readAlternative)
  return token
}

function readAlternative(item: Json): { token: string; logprob: number; bytes?: number[] | null } {
  const bytes = Array.isArray(item['bytes']) ? item['bytes'].filter((byte) => typeof byte === 'number') : undefined
  const token = { token: text(item['token']) ?? '', logprob: number(item['logprob']) ?? 0 }
  return bytes ? { ...token, bytes } : token
}

export function writeLogprobs(tokens: readonly TokenLogprob[], refusal: boolean): Json {
  const list = writeTokens(tokens)
  return refusal ? { content: null, refusal: list } : { content: list, refusal: null }
}

export function writeTokens(tokens: readonly TokenLogprob[]): Json[] {
  return tokens.map((token) => ({ ...writeAlternative(token), top_logprobs: (token.top ?? []).map(writeAlternative) }))
}

/** Token alternative. Missing bytes are derived from the token's text. */
function writeAlternative({ token, logprob, bytes }: TokenLogprob): Json {
  return { token, logprob, bytes: bytes === undefined ? [...new TextEncoder().encode(token)] : bytes }
}

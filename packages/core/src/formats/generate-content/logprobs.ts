import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { TokenLogprob } from '../../canonical/response.ts'

interface Likelihood {
  token: string
  logprob: number
  bytes: number[]
}

/**
 * Tokens of a response with their log probabilities. Bytes are derived from the token's text, since the vendor does not
 * send them.
 * @see https://ai.google.dev/api/generate-content#LogprobsResult
 */
export function readLogprobs(result: unknown): TokenLogprob[] | undefined {
  if (!isObject(result)) return undefined
  const alternatives = objects(result['topCandidates'])
  const tokens = objects(result['chosenCandidates']).map((chosen, index): TokenLogprob => {
    const top = objects(alternatives[index]?.['candidates']).map(readToken)
    return { ...readToken(chosen), ...(top.length > 0 && { top }) }
  })
  return tokens.length > 0 ? tokens : undefined
}

function readToken(candidate: Json): Likelihood {
  const token = text(candidate['token']) ?? ''
  return { token, logprob: number(candidate['logProbability']) ?? 0, bytes: [...new TextEncoder().encode(token)] }
}

export function writeLogprobs(tokens: readonly TokenLogprob[]): Json {
  const write = ({ token, logprob }: { token: string; logprob: number }): Json => ({ token, logProbability: logprob })
  return {
    chosenCandidates: tokens.map(write),
    ...(tokens.some((token) => token.top) && {
      topCandidates: tokens.map((token) => ({ candidates: (token.top ?? []).map(write) })),
    }),
  }
}

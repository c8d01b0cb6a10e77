import type { ResponseSummary, TextSample, Usage } from '@headgate/core/canonical'
import type { Core } from '../../../serve/core.ts'
import type { ChatCall } from '../chat-call.ts'
import { texts } from './texts.ts'

/** Maximum text to tokenize, in UTF-16 code units. Tokenizing long text in full is too slow. */
const COUNTED = 16_384
/** Number of excerpts from a longer text. */
const PLACES = 4
/** Approximate value for English prose. */
const CHARACTERS_PER_TOKEN = 4

/** Evenly spaced excerpts of a long text. */
function excerpt(text: string): string {
  if (text.length <= COUNTED) return text
  const size = COUNTED / PLACES
  const step = Math.floor((text.length - size) / (PLACES - 1))
  return Array.from({ length: PLACES }, (_, place) => text.slice(place * step, place * step + size)).join('')
}

/** Approximate tokens of a string with `length` code units, from its excerpt `known`. Never rejects; at least 1. */
async function tokensOf({ estimate }: Pick<Core, 'estimate'>, known: string, length: number): Promise<number> {
  if (known === '') return Math.max(1, Math.ceil(length / CHARACTERS_PER_TOKEN))
  let tokens = Number.NaN
  try {
    tokens = await estimate(known)
  } catch {
    // The response must have a cost even if the estimator fails.
  }
  if (!(tokens >= 0 && tokens <= known.length)) tokens = known.length / CHARACTERS_PER_TOKEN
  return Math.max(1, Math.ceil((tokens * length) / known.length))
}

/**
 * Usage of a response that broke off before its usage arrived: the counts so far, with estimates for missing or too
 * small counts. Images and audio are not estimated.
 */
export async function estimateUsage(
  core: Core,
  chat: ChatCall,
  { usage }: ResponseSummary,
  sample: TextSample,
): Promise<Usage> {
  const output = Math.max(usage?.output ?? 0, await tokensOf(core, sample.text, sample.length))
  if (usage && usage.input > 0) return { ...usage, output }
  const text = [...texts(chat.body.json)].join('\n')
  return { ...usage, input: await tokensOf(core, excerpt(text), text.length), output }
}

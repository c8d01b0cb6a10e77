import type { Heard, Tally, Usage } from '@headgate/core/canonical'
import type { Core } from '../../../serve/core.ts'
import type { Ask } from '../ask.ts'
import { texts } from './texts.ts'

/** How much of a text is counted, in UTF-16 code units: counting all of a long one would cost more than it is worth. */
const COUNTED = 16_384
/** The places of a longer text that are counted, spread over all of it. */
const PLACES = 4
/** Of English prose, about. */
const CHARACTERS_PER_TOKEN = 4

/** A few places of a long text that stand for the whole. */
function excerpt(text: string): string {
  if (text.length <= COUNTED) return text
  const size = COUNTED / PLACES
  const step = Math.floor((text.length - size) / (PLACES - 1))
  return Array.from({ length: PLACES }, (_, place) => text.slice(place * step, place * step + size)).join('')
}

/** About how many tokens a text of so many code units is, of which a part is known. Never rejects, never 0. */
async function tokensOf({ estimate }: Pick<Core, 'estimate'>, known: string, length: number): Promise<number> {
  if (known === '') return Math.max(1, Math.ceil(length / CHARACTERS_PER_TOKEN))
  let tokens = Number.NaN
  try {
    tokens = await estimate(known)
  } catch {
    // An estimator that fails must not make an answer free.
  }
  if (!(tokens >= 0 && tokens <= known.length)) tokens = known.length / CHARACTERS_PER_TOKEN
  return Math.max(1, Math.ceil((tokens * length) / known.length))
}

/**
 * The usage of an answer that broke off before its upstream had counted it: what was counted until then, and estimates
 * where nothing was, or less than was heard. Images and sound are not estimated.
 */
export async function estimateUsage(core: Core, ask: Ask, { usage }: Tally, heard: Heard): Promise<Usage> {
  const output = Math.max(usage?.output ?? 0, await tokensOf(core, heard.text, heard.length))
  if (usage && usage.input > 0) return { ...usage, output }
  const text = [...texts(ask.body.json)].join('\n')
  return { ...usage, input: await tokensOf(core, excerpt(text), text.length), output }
}

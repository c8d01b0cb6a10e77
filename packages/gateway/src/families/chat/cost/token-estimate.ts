import { tokensOf } from '../../../cost/bound.ts'
import type { ParsedBody } from '../../../edge/body.ts'
import type { RateEstimate } from '../../../ports/rates.ts'
import { choicesOf, outputOf } from './bound.ts'
import { texts } from './texts.ts'

/** Assumed output of a response without a limit, in tokens. */
const USUAL_OUTPUT = 1_024
/** Minimum size in bytes of bodies to inspect for media. */
const SMALL = 65_536
/** Maximum assumed tokens of a request's media, which have many bytes but few tokens. */
const MEDIA = 4_096

/** Approximate number of input tokens. */
function inputOf({ bytes, json }: ParsedBody): number {
  if (bytes.length <= SMALL) return tokensOf(bytes.length)
  let length = 0
  for (const text of texts(json)) length += text.length
  return tokensOf(Math.min(length, bytes.length)) + Math.min(MEDIA, tokensOf(Math.max(0, bytes.length - length)))
}

/** A known number, else the usual value. */
function finite(number: number, usual: number): number {
  return Number.isFinite(number) ? number : usual
}

/** Approximate tokens of a request, for rate limits. */
export function expectedTokens(body: ParsedBody, format: string): RateEstimate {
  const asked = { body, format }
  return { input: inputOf(body), output: finite(outputOf(asked), USUAL_OUTPUT) * finite(choicesOf(asked), 1) }
}

import { tokensOf } from '../../../cost/bound.ts'
import type { Body } from '../../../edge/body.ts'
import type { RateEstimate } from '../../../ports/rates.ts'
import { answersOf, outputOf } from './bound.ts'
import { texts } from './texts.ts'

/** What an answer is taken for that has no limit, in tokens. */
const USUAL_OUTPUT = 1_024
/** Larger bodies are looked through for what is no text, in bytes. */
const SMALL = 65_536
/** What images and files of a request are taken for at most, in tokens: they are many bytes and few tokens. */
const MEDIA = 4_096

/** About how many tokens the input is. */
function inputOf({ bytes, json }: Body): number {
  if (bytes.length <= SMALL) return tokensOf(bytes.length)
  let length = 0
  for (const text of texts(json)) length += text.length
  return tokensOf(Math.min(length, bytes.length)) + Math.min(MEDIA, tokensOf(Math.max(0, bytes.length - length)))
}

/** What is known of a number, else what is usual. */
function finite(number: number, usual: number): number {
  return Number.isFinite(number) ? number : usual
}

/** About how many tokens a request will use, until it is known. */
export function expectedOf(body: Body, format: string): RateEstimate {
  const asked = { body, format }
  return { input: inputOf(body), output: finite(outputOf(asked), USUAL_OUTPUT) * finite(answersOf(asked), 1) }
}

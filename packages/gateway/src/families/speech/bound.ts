import type { Json, ModelFacts } from '@headgate/core/canonical'
import { forModel, type Provider, type SpeechAbilities } from '@headgate/core/contract'
import type { CostInput, UsageBound } from '../../cost/bound.ts'
import { codePoints } from './wire.ts'

/**
 * Greatest number of characters that a provider counts for one, such as an ideograph. Providers with OpenAI's wire
 * report no characters, so that code points are billed.
 */
const COUNTED = 2

/** Facts about a model that limit its usage. */
interface SpokenBy {
  readonly provider?: Provider | undefined
  readonly model?: string | undefined
  readonly facts?: ModelFacts | undefined
}

/** Maximum usage: characters; tokens of the text and of the sound. Infinity = unknown. */
export function usageBound(body: Json, { provider, model = '', facts }: SpokenBy): UsageBound {
  const { input, instructions, speed } = body
  const [text, style] = [input, instructions].map((value) => (typeof value === 'string' ? value : ''))
  const can = forModel<SpeechAbilities>(provider?.speech?.can, model)
  const counted = forModel(provider?.speech?.native, model) === undefined ? COUNTED : 1
  const slowest = typeof speed === 'number' && speed > 0 ? Math.min(1, speed) : 1
  const length = codePoints(text ?? '')
  const { tokensPerCharacter: tokens } = can ?? {}
  const spoken = tokens === undefined ? Number.POSITIVE_INFINITY : Math.ceil((tokens * length) / slowest)
  const output = Math.min(spoken, facts?.output ?? spoken)
  return {
    input: Buffer.byteLength(text ?? '') + Buffer.byteLength(style ?? ''),
    output,
    audioOutput: output,
    perhaps: { characters: counted * (length + codePoints(style ?? '')) },
  }
}

/** Worst-case usage of a request; undefined = it has no body. */
export function boundOfSpeech({ body, provider, model, facts }: CostInput): UsageBound | undefined {
  return body && usageBound(body.json, { provider, model, facts })
}

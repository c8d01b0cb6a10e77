import type { ModelFacts } from '@headgate/core/provider'

const source = 'deepgram.com/pricing@2026-11-23'

/** Price of a minute in nano-dollars, as nano-dollars per million milliseconds. */
function model(id: string, perMinute: number): ModelFacts {
  const price = {
    id: source,
    input: 0,
    output: 0,
    units: { milliseconds: Math.ceil((perMinute / 60_000) * 1_000_000) },
  }
  return { id, families: ['transcription'], price }
}

/**
 * Models with their prices for recordings, pay as you go.
 * @see https://deepgram.com/pricing
 */
export const models: readonly ModelFacts[] = [model('nova-3', 5_200_000), model('nova-2', 4_300_000)]

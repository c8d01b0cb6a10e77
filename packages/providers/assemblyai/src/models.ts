import type { ModelFacts } from '@headgate/core/provider'

const source = 'assemblyai.com/pricing@2026-05-14'

/** Price of an hour in nano-dollars, as nano-dollars per million milliseconds. */
function perHour(price: number): number {
  return Math.ceil(price / 3.6)
}

/** Speakers cost $0.02 an hour, keywords $0.05. */
const SURCHARGES = { speakerMilliseconds: perHour(20_000_000), keywordMilliseconds: perHour(50_000_000) }

function model(id: string, price: number): ModelFacts {
  const units = { milliseconds: perHour(price), ...SURCHARGES }
  return { id, families: ['transcription'], price: { id: source, input: 0, output: 0, units } }
}

/**
 * Models with their prices for recordings. The price of `universal-3-5-pro` is unknown.
 * @see https://www.assemblyai.com/pricing
 */
export const models: readonly ModelFacts[] = [
  { id: 'universal-3-5-pro', families: ['transcription'] },
  model('universal-3-pro', 210_000_000),
  model('universal-2', 150_000_000),
]

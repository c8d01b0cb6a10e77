import type { ModelFacts } from '@headgate/core/provider'

const [KATIE, KIEFER, TESSA, KYLE] = [
  'f786b574-daa5-4673-aa0c-cbe3e8534c02',
  '228fca29-3a0a-435c-8728-5cb483251068',
  '6ccbfb76-1fc6-48f7-b71d-91ac6298247b',
  'c961b81c-a935-4c17-bfb3-ba2239de8c2f',
] as const

/**
 * Voices by OpenAI's names.
 * @see https://docs.cartesia.ai/build-with-cartesia/capability-guides/choosing-a-voice
 */
export const NAMES: Readonly<Record<string, string>> = {
  alloy: KATIE,
  ash: KIEFER,
  ballad: KYLE,
  cedar: KIEFER,
  coral: TESSA,
  echo: KYLE,
  fable: KYLE,
  marin: KATIE,
  nova: TESSA,
  onyx: KIEFER,
  sage: KATIE,
  shimmer: TESSA,
  verse: KYLE,
}

/** Speech models. */
export const speakers: readonly ModelFacts[] = [
  { id: 'sonic-3.5', families: ['speech'] },
  { id: 'sonic-3', families: ['speech'] },
]

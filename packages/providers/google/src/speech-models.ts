import type { ModelFacts } from '@headgate/core/provider'

/**
 * Voices of all models.
 * @see https://ai.google.dev/gemini-api/docs/speech-generation#voices
 */
export const VOICES: readonly string[] =
  'Zephyr Puck Charon Kore Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba Despina Erinome Algenib Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat'.split(
    ' ',
  )

/** Voices by OpenAI's names. */
export const NAMES: Readonly<Record<string, string>> = {
  alloy: 'Kore',
  ash: 'Orus',
  ballad: 'Enceladus',
  cedar: 'Charon',
  coral: 'Aoede',
  echo: 'Puck',
  fable: 'Sadaltager',
  marin: 'Sulafat',
  nova: 'Leda',
  onyx: 'Algenib',
  sage: 'Vindemiatrix',
  shimmer: 'Zephyr',
  verse: 'Fenrir',
}

/**
 * Speech models, with prices in nano-dollars per million tokens.
 * @see https://ai.google.dev/gemini-api/docs/pricing
 */
export const speakers: readonly ModelFacts[] = [
  { id: 'gemini-3.8-flash-tts', families: ['chat', 'speech'] },
  {
    id: 'gemini-3.8-flash-lite-tts',
    families: ['chat', 'speech'],
    price: { id: 'ai.google.dev@2026-11', input: 500_000_000, output: 6_000_000_000 },
  },
  { id: 'gemini-3.1-flash-tts-preview', families: ['chat', 'speech'], deprecated: true },
  {
    id: 'gemini-2.5-flash-preview-tts',
    families: ['chat', 'speech'],
    deprecated: true,
    output: 16_384,
    price: { id: 'ai.google.dev@2026-07', input: 500_000_000, output: 10_000_000_000 },
  },
  {
    id: 'gemini-2.5-pro-preview-tts',
    families: ['chat', 'speech'],
    deprecated: true,
    output: 16_384,
    price: { id: 'ai.google.dev@2026-07', input: 1_000_000_000, output: 20_000_000_000 },
  },
]

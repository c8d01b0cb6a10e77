import type { Random } from './random.ts'

export const FORMAT_IDS = ['chat-completions', 'messages', 'generate-content'] as const
export type FormatId = (typeof FORMAT_IDS)[number]

/** What a good answer consists of. */
export const FLAVOURS = ['text', 'thought', 'call', 'long'] as const
export type Flavour = (typeof FLAVOURS)[number]

/** What an upstream knows when it answers one call. */
export interface Scene {
  /** Format that it speaks. */
  readonly format: FormatId
  /** Whether a stream is due. */
  readonly stream: boolean
  readonly flavour: Flavour
  /** The credential that it was called with. */
  readonly secret: string
  readonly random: Random
}

/** What a good answer says; with characters of two, three and four bytes, since streams are cut anywhere. */
export const WORDS = ['Grüße', ' an', ' alle', ' – 日本', ' 🦊', ' und', ' weiter', '.']
const FILLER = 'All work and no play makes Jack a dull boy. '.repeat(40)

/** The pieces of the text of a good answer. */
export function wordsOf(flavour: Flavour): readonly string[] {
  return flavour === 'long' ? Array.from({ length: 120 }, (_, index) => `${index}: ${FILLER}`) : WORDS
}

export const TOOL = 'look_up'
export const TOOL_ARGUMENTS = '{"place":"Köln","days":3}'
export const THOUGHT = 'Let me think.'

/** Maximum length of the sample in UTF-16 code units, enough to estimate characters per token. */
const KEPT = 4096

/** Sample of a response's text, for estimating its tokens. */
export interface Heard {
  /** Start of the text, including reasoning and arguments. */
  text: string
  /** Length of the whole text in UTF-16 code units. */
  length: number
}

export function createHeard(): Heard {
  return { text: '', length: 0 }
}

/** Adds text to a sample. */
export function hear(heard: Heard, text: string): void {
  heard.length += text.length
  if (heard.text.length < KEPT) heard.text += text
}

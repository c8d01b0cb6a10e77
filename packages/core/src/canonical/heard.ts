/** How much of an answer's text is kept, in UTF-16 code units: enough to know how many of them make a token. */
const KEPT = 4096

/** What an answer has said so far, as far as an estimate of its tokens needs it. */
export interface Heard {
  /** The beginning of its text: words, thoughts and arguments alike. */
  text: string
  /** UTF-16 code units of all of it. */
  length: number
}

export function createHeard(): Heard {
  return { text: '', length: 0 }
}

export function hear(heard: Heard, text: string): void {
  heard.length += text.length
  if (heard.text.length < KEPT) heard.text += text
}

/** Maximum length of the sample in UTF-16 code units, enough to estimate characters per token. */
const SAMPLE_LENGTH = 4096

/** Sample of a response's text, for estimating its tokens. */
export interface TextSample {
  /** Start of the text, including reasoning and arguments. */
  text: string
  /** Length of the whole text in UTF-16 code units. */
  length: number
}

export function createTextSample(): TextSample {
  return { text: '', length: 0 }
}

/** Adds text to a sample. */
export function addText(sample: TextSample, text: string): void {
  sample.length += text.length
  if (sample.text.length < SAMPLE_LENGTH) sample.text += text
}

/** Word of a transcript. Times are in seconds from the start of the recording. */
export interface TranscriptWord {
  /** Text with its punctuation, without surrounding white space. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** The provider's name of the speaker. */
  readonly speaker?: string | undefined
}

/** Part of a transcript, such as a sentence. Times are in seconds from the start of the recording. */
export interface TranscriptSegment {
  readonly text: string
  readonly start: number
  readonly end: number
  /** The provider's name of the speaker. */
  readonly speaker?: string | undefined
}

/** Text of a recording, with what the provider knows about it. Absent = the provider does not say. */
export interface Transcript {
  readonly text: string
  /** ISO 639-1 or 639-3 code of the spoken language. */
  readonly language?: string | undefined
  /** Length of the recording. */
  readonly seconds?: number | undefined
  readonly segments?: readonly TranscriptSegment[] | undefined
  readonly words?: readonly TranscriptWord[] | undefined
}

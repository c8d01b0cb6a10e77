import { number, text } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'

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

/**
 * Word or segment as a vendor reports it, in a list: empty without content or times.
 * @param perSecond unit of the times: 1 for seconds (default), 1,000 for milliseconds
 * @example objects(answer['words']).flatMap(({ word, start, end, speaker }) => timedText(word, start, end, speaker))
 */
export function timedText(
  content: unknown,
  start: unknown,
  end: unknown,
  speaker?: unknown,
  perSecond = 1,
): readonly TranscriptWord[] {
  const [own, from, to] = [text(content)?.trim(), number(start), number(end)]
  if (own === undefined || own === '' || from === undefined || to === undefined) return []
  const name = typeof speaker === 'number' ? String(speaker) : text(speaker)
  return [{ text: own, start: from / perSecond, end: to / perSecond, speaker: name }]
}

/**
 * Usage of a recording that is billed by its length in seconds; undefined if the length is unknown.
 * @example timeUsage(1.5) // { input: 0, output: 0, units: { milliseconds: 1500 } }
 */
export function timeUsage(seconds: number | undefined): Usage | undefined {
  // A length such as 16.1 s is not a whole number of milliseconds in floating point.
  return seconds === undefined
    ? undefined
    : { input: 0, output: 0, units: { milliseconds: Math.ceil(Math.round(seconds * 1_000_000) / 1_000) } }
}

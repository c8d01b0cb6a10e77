import type { Transcript, TranscriptSegment, TranscriptWord } from '@headgate/core/contract'

/** Limits of a cue that is built from words. */
const MAX_CHARACTERS = 84
const MAX_SECONDS = 7
/** Pause in seconds after which a new cue begins. */
const PAUSE = 0.8
const ENDS_SENTENCE = /[.?!。？！…]["'”’)\]]*$/
/** Scripts that are written without spaces between words. */
const SPACELESS = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]'
const STARTS_SPACELESS = new RegExp(`^${SPACELESS}`, 'u')
const ENDS_SPACELESS = new RegExp(`(${SPACELESS}|[、。！？])$`, 'u')

/** Parts of a transcript with times: its segments, or segments built from its words. Undefined without times. */
export function cuesOf({ segments, words }: Transcript): readonly TranscriptSegment[] | undefined {
  if (segments && segments.length > 0) return segments
  if (!words) return segments
  const cues: TranscriptSegment[] = []
  let open: TranscriptWord[] = []
  const close = (): void => {
    if (open.length > 0) cues.push(cueOf(open))
    open = []
  }
  let length = 0
  for (const word of words) {
    const [first] = open
    const last = open.at(-1)
    if (
      first &&
      last &&
      (word.start - last.end > PAUSE ||
        word.end - first.start > MAX_SECONDS ||
        length + 1 + word.text.length > MAX_CHARACTERS ||
        word.speaker !== last.speaker)
    )
      close()
    length = open.length === 0 ? word.text.length : length + 1 + word.text.length
    open.push(word)
    if (ENDS_SENTENCE.test(word.text)) close()
  }
  close()
  return cues
}

function cueOf(words: readonly TranscriptWord[]): TranscriptSegment {
  let text = ''
  let end = 0
  for (const word of words) {
    const isJoined = text === '' || (STARTS_SPACELESS.test(word.text) && ENDS_SPACELESS.test(text))
    text += isJoined ? word.text : ` ${word.text}`
    end = Math.max(end, word.end)
  }
  return { text, start: words[0]?.start ?? 0, end, speaker: words[0]?.speaker }
}

/**
 * Subtitles in SubRip format.
 * @example srtOf([{ text: 'Hello.', start: 0, end: 1.5 }]) // '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n'
 */
export function srtOf(cues: readonly TranscriptSegment[]): string {
  return shown(cues)
    .map((cue, at) => `${at + 1}\n${timesOf(cue, srtTime)}\n${cueText(cue)}\n\n`)
    .join('')
}

/**
 * Subtitles in WebVTT format. Hours are written only if they are needed.
 * @see https://www.w3.org/TR/webvtt1/
 */
export function vttOf(cues: readonly TranscriptSegment[]): string {
  return `WEBVTT\n\n${shown(cues)
    .map((cue) => `${timesOf(cue, vttTime)}\n${escaped(cueText(cue))}\n\n`)
    .join('')}`
}

function timesOf({ start, end }: TranscriptSegment, timeOf: (ms: number) => string): string {
  const from = Math.max(0, Math.round(start * 1_000))
  // A cue without a length is not shown.
  return `${timeOf(from)} --> ${timeOf(Math.max(from + 1, Math.round(end * 1_000)))}`
}

/** Cues that are not blank. */
function shown(cues: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  return cues.filter((cue) => cueText(cue) !== '')
}

/** Line ends besides CR and LF that some readers split at, and characters that files of text do not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are to be removed
const SEPARATORS = /[\u0000\u000b\u000c\u001c-\u001e\u0085\u2028\u2029]+/g

/** White space before a time. Some readers take a line with two times for the times of a cue. */
const TIMESTAMP = /[ \t]+(?=\d{1,2}:\d{1,2}:\d{1,2}[.,]\d)/g

/** Text of a cue in lines that end no cue and look like no times. */
function cueText({ text }: TranscriptSegment): string {
  return text
    .replace(SEPARATORS, ' ')
    .trim()
    .replace(/[\r\n]+\s*/g, '\n')
    .replace(/-->/g, '->')
    .replace(TIMESTAMP, '\n')
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function parts(ms: number): readonly [hours: number, minutes: string, seconds: string, milliseconds: string] {
  const two = (value: number): string => String(value).padStart(2, '0')
  return [
    Math.floor(ms / 3_600_000),
    two(Math.floor(ms / 60_000) % 60),
    two(Math.floor(ms / 1_000) % 60),
    String(ms % 1_000).padStart(3, '0'),
  ]
}

function srtTime(ms: number): string {
  const [hours, minutes, seconds, rest] = parts(ms)
  return `${String(hours).padStart(2, '0')}:${minutes}:${seconds},${rest}`
}

function vttTime(ms: number): string {
  const [hours, minutes, seconds, rest] = parts(ms)
  return `${hours > 0 ? `${String(hours).padStart(2, '0')}:` : ''}${minutes}:${seconds}.${rest}`
}

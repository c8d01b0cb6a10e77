import type { Json, Usage } from '@headgate/core/canonical'
import type { Transcript, TranscriptSegment } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { cuesOf, srtOf, vttOf } from './cues.ts'
import type { TranscriptFormat } from './wire.ts'

/** Body of a response with its content type. */
export interface RenderedTranscript {
  readonly body: string
  readonly type: string
}

/** Options of a rendering. */
export interface RenderOptions {
  readonly format: TranscriptFormat
  readonly hasWords: boolean
  readonly isStream: boolean
  readonly translates: boolean
  /** Length of the recording in milliseconds, if the provider does not report it. */
  readonly milliseconds: number | undefined
  readonly usage: Usage | undefined
}

const TEXT = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const EVENTS = 'text/event-stream; charset=utf-8'

/**
 * Transcript in the caller's format. Fields that the provider does not report are left out or have placeholders.
 * @throws HeadgateError `upstream` if the format needs times, and the transcript has none
 */
export function renderTranscript(transcript: Transcript, options: RenderOptions): RenderedTranscript {
  const { format, isStream } = options
  if (isStream) return { body: eventsOf(transcript, options), type: EVENTS }
  if (format === 'text') return { body: `${transcript.text}\n`, type: TEXT }
  if (format === 'srt') return { body: srtOf(timed(transcript)), type: TEXT }
  if (format === 'vtt') return { body: vttOf(timed(transcript)), type: TEXT }
  const json =
    format === 'verbose_json'
      ? verbose(transcript, options)
      : format === 'diarized_json'
        ? diarized(transcript, options)
        : { text: transcript.text, ...usageOf(transcript, options) }
  return { body: JSON.stringify(json), type: JSON_TYPE }
}

function timed(transcript: Transcript): readonly TranscriptSegment[] {
  const cues = cuesOf(transcript)
  if (cues) return cues
  throw new HeadgateError('upstream', 'The provider returned a transcript without times.')
}

function eventsOf(transcript: Transcript, options: RenderOptions): string {
  const { text } = transcript
  const events: Json[] = [
    { type: 'transcript.text.delta', delta: text },
    { type: 'transcript.text.done', text, ...usageOf(transcript, options) },
  ]
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function secondsOf({ seconds }: Transcript, { milliseconds }: RenderOptions): number | undefined {
  return seconds ?? (milliseconds === undefined ? undefined : milliseconds / 1_000)
}

function usageOf(transcript: Transcript, options: RenderOptions): Json {
  const { usage } = options
  if (usage && (usage.input > 0 || usage.output > 0))
    return {
      usage: {
        type: 'tokens',
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.input + usage.output,
      },
    }
  const seconds = secondsOf(transcript, options)
  return seconds === undefined ? {} : { usage: { type: 'duration', seconds: Math.ceil(seconds) } }
}

/**
 * Verbose response. Clients require all fields of whisper's segments, so fields that the provider does not report
 * have placeholders, which the plan declares.
 */
function verbose(transcript: Transcript, options: RenderOptions): Json {
  const { text, language, words } = transcript
  const seconds = secondsOf(transcript, options)
  const name = options.translates ? 'english' : languageName(language)
  return {
    task: options.translates ? 'translate' : 'transcribe',
    ...(name !== undefined && { language: name }),
    ...(seconds !== undefined && { duration: seconds }),
    text,
    segments: timed(transcript).map((segment, id) => ({
      id,
      seek: 0,
      start: rounded(segment.start),
      end: rounded(segment.end),
      text: segment.text,
      tokens: [],
      temperature: 0,
      avg_logprob: 0,
      compression_ratio: 0,
      no_speech_prob: 0,
    })),
    ...(options.hasWords && {
      words: (words ?? []).map(({ text: word, start, end }) => ({ word, start: rounded(start), end: rounded(end) })),
    }),
    ...usageOf(transcript, options),
  }
}

function diarized(transcript: Transcript, options: RenderOptions): Json {
  const names = new Map<string, string>()
  const seconds = secondsOf(transcript, options)
  const letter = (speaker: string): string => {
    const known = names.get(speaker) ?? letterOf(names.size)
    names.set(speaker, known)
    return known
  }
  return {
    task: 'transcribe',
    ...(seconds !== undefined && { duration: seconds }),
    text: transcript.text,
    segments: timed(transcript).map(({ text, start, end, speaker }, at) => ({
      type: 'transcript.text.segment',
      id: `seg_${at}`,
      start: rounded(start),
      end: rounded(end),
      speaker: letter(speaker ?? ''),
      text,
    })),
    ...usageOf(transcript, options),
  }
}

/** Speakers in the order of their appearance: A to Z, then AA. */
function letterOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : letterOf(Math.floor(index / 26) - 1) + letter
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000
}

const LANGUAGES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** English name of a language in lower case, as whisper writes it; undefined = unknown. */
function languageName(code: string | undefined): string | undefined {
  if (code === undefined) return undefined
  try {
    return LANGUAGES.of(code)?.toLowerCase() ?? code
  } catch {
    return code
  }
}

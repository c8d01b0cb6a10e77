import { isRecord, listOf, textOf } from '../../../api/playground.ts'
import type { EndpointRequest } from '../endpoint/request.ts'

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const
export type ShownFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** Values of the form. Empty strings are the defaults of the model. */
export interface TranscriptionDraft {
  readonly file: File | undefined
  readonly format: ShownFormat
  readonly language: string
  readonly prompt: string
  readonly hasWords: boolean
}

export const NO_RECORDING: TranscriptionDraft = {
  file: undefined,
  format: 'verbose_json',
  language: '',
  prompt: '',
  hasWords: false,
}

export function transcriptionRequest(
  model: string,
  { file, format, language, prompt, hasWords }: TranscriptionDraft,
): EndpointRequest {
  return {
    path: 'audio/transcriptions',
    fields: {
      model,
      response_format: format,
      language: language || undefined,
      prompt: prompt || undefined,
      timestamp_granularities: hasWords && format === 'verbose_json' ? ['word', 'segment'] : undefined,
    },
    files: file ? [{ field: 'file', file }] : [],
  }
}

/** Part of a transcript with its times in seconds. */
export interface TranscriptCue {
  readonly start: number
  readonly end: number
  readonly speaker: string
  readonly text: string
}

export interface ShownTranscript {
  readonly text: string
  readonly language: string
  /** Length of the recording in seconds; undefined = unknown. */
  readonly seconds: number | undefined
  readonly cues: readonly TranscriptCue[]
  readonly words: readonly TranscriptCue[]
}

/** Transcript of a response; undefined if it has none. */
export function transcriptOf(format: unknown, text: string, answer: unknown): ShownTranscript | undefined {
  const plain = { language: '', seconds: undefined, words: [] }
  if (format === 'text') return { ...plain, text: text.trim(), cues: [] }
  if (format === 'srt' || format === 'vtt') {
    const cues = subtitlesOf(text)
    return cues.length === 0 ? undefined : { ...plain, text: cues.map((cue) => cue.text).join(' '), cues }
  }
  if (!isRecord(answer) || typeof answer['text'] !== 'string') return undefined
  const { duration } = answer
  return {
    text: answer['text'],
    language: textOf(answer['language']),
    seconds: typeof duration === 'number' ? duration : undefined,
    cues: cuesOf(answer['segments'], 'text'),
    words: cuesOf(answer['words'], 'word'),
  }
}

function cuesOf(list: unknown, name: 'text' | 'word'): readonly TranscriptCue[] {
  return listOf(list).flatMap((one) => {
    if (!isRecord(one)) return []
    const { start, end, speaker } = one
    if (typeof start !== 'number' || typeof end !== 'number') return []
    return [{ start, end, speaker: textOf(speaker), text: textOf(one[name]).trim() }]
  })
}

const TIMES = /^((?:\d+:)?\d+:\d+[.,]\d+) --> ((?:\d+:)?\d+:\d+[.,]\d+)/

/** Cues of SRT and WebVTT: blocks with a line of times and lines of text. */
export function subtitlesOf(text: string): readonly TranscriptCue[] {
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .flatMap((block) => {
      const lines = block.split('\n')
      const at = lines.findIndex((line) => TIMES.test(line))
      const [, start = '', end = ''] = TIMES.exec(lines[at] ?? '') ?? []
      if (at < 0) return []
      const words = lines
        .slice(at + 1)
        .join(' ')
        .trim()
      return [{ start: secondsOf(start), end: secondsOf(end), speaker: '', text: words }]
    })
}

function secondsOf(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
}

/** Time of a recording: `1:02.345`, with hours if it has them. */
export function clock(seconds: number): string {
  const total = Math.max(0, Math.round(seconds * 1_000))
  const [hours, minutes] = [Math.floor(total / 3_600_000), Math.floor(total / 60_000) % 60]
  const rest = ((total % 60_000) / 1_000).toFixed(3).padStart(6, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}

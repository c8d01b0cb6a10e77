import { dropped, type Loss } from '@headgate/core/canonical'
import type { TranscriptTimes } from '@headgate/core/contract'
import { invalid } from '@headgate/core/errors'
import type { UploadPart } from '../../uploads/multipart.ts'
import type { Upload } from '../../uploads/upload.ts'

export const FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const

/** Value of `response_format`. */
export type TranscriptFormat = (typeof FORMATS)[number]

/** True for a format whose responses are JSON. */
export function isJson(format: TranscriptFormat): boolean {
  return format === 'json' || format.endsWith('_json')
}

/** Fields that requests to other wires cannot carry; a provider decides without them. */
const HINTS: ReadonlySet<string> = new Set(['chunking_strategy', 'include[]', 'include'])
const KNOWN: ReadonlySet<string> = new Set([
  ...['file', 'model', 'language', 'prompt', 'response_format', 'temperature', 'stream'],
  ...['timestamp_granularities[]', 'timestamp_granularities', 'keywords[]', 'keywords', 'languages[]', 'languages'],
])

/** Transcription request, read from its form. */
export interface TranscriptionInput {
  readonly file: UploadPart
  readonly format: TranscriptFormat
  readonly language: string | undefined
  readonly prompt: string | undefined
  readonly keywords: readonly string[]
  readonly temperature: number | undefined
  readonly times: TranscriptTimes
  /** True if the caller asked for words in the response. */
  readonly hasWords: boolean
  readonly isStream: boolean
  /** Fields that only a native path carries. */
  readonly losses: readonly Loss[]
}

/**
 * Reads the form of `POST /v1/audio/transcriptions` and `/translations`.
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 * @throws HeadgateError that names the invalid field
 */
export function readTranscription(upload: Upload): TranscriptionInput {
  const files = upload.files('file')
  const [file, another] = files
  if (another) throw invalid('file', 'The form has the field file twice. Send one file per request.')
  if (!file)
    throw invalid(
      'file',
      upload.texts('file').length > 0
        ? 'The field file must be a file. Its part needs a file name, and URLs are not fetched.'
        : 'The field file is missing.',
    )
  if (file.end === file.start) throw invalid('file', 'The file is empty.')
  const format = formatOf(upload.text('response_format') ?? 'json')
  const granularities = [...upload.texts('timestamp_granularities[]'), ...upload.texts('timestamp_granularities')]
  const hasWords = granularities.includes('word')
  if (granularities.length > 0 && format !== 'verbose_json')
    throw invalid('timestamp_granularities[]', 'Times require `response_format=verbose_json`.')
  if (granularities.some((one) => one !== 'word' && one !== 'segment'))
    throw invalid('timestamp_granularities[]', 'The values are `word` and `segment`.')
  const [language, otherLanguage] = [upload.text('language'), ...upload.texts('languages[]')]
  return {
    file,
    format,
    language: language ?? otherLanguage,
    prompt: upload.text('prompt') || undefined,
    keywords: [...upload.texts('keywords[]'), ...upload.texts('keywords')],
    temperature: numberOf('temperature', upload.text('temperature'), 1),
    times: timesOf(format, hasWords),
    hasWords,
    isStream: upload.text('stream') === 'true',
    losses: lossesOf(upload),
  }
}

function formatOf(text: string): TranscriptFormat {
  const found = FORMATS.find((one) => one === text)
  if (found) return found
  throw invalid('response_format', `The format must be one of ${FORMATS.join(', ')}.`)
}

function timesOf(format: TranscriptFormat, hasWords: boolean): TranscriptTimes {
  if (hasWords) return 'word'
  return format === 'json' || format === 'text' ? 'none' : 'segment'
}

function numberOf(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (value >= 0 && value <= most) return value
  throw invalid(name, `The field ${name} must be a number from 0 to ${most}.`)
}

function lossesOf({ parts }: Upload): readonly Loss[] {
  const losses: Loss[] = []
  for (const name of new Set(parts.map((part) => part.name)))
    if (!KNOWN.has(name)) dropped(losses, name, HINTS.has(name) ? 'the provider has no equivalent' : 'unknown field')
  return losses
}

import type { Received } from '../../upstream.ts'
import type { TranscriptAnswer, TranscriptMeaning } from './facts.ts'

const FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json']

/** Fields of a form that have one value. */
const SINGLE = ['model', 'language', 'prompt', 'response_format', 'temperature', 'stream', 'file']
const LISTS = ['keywords[]', 'timestamp_granularities[]']

/**
 * Request in OpenAI's form. `others` are further fields that the vendor knows.
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function readTranscriptForm(requests: readonly Received[], others: readonly string[] = []): TranscriptMeaning {
  const parts = requests.at(-1)?.parts ?? []
  for (const { name } of parts)
    if (![...SINGLE, ...LISTS, ...others].includes(name)) throw new Error(`unknown field: ${name}`)
  const values = (name: string): string[] =>
    parts.filter((part) => part.name === name).map(({ bytes }) => Buffer.from(bytes).toString())
  for (const name of SINGLE) if (values(name).length > 1) throw new Error(`the field ${name} occurs twice`)
  const [file] = parts.filter(({ filename }) => filename !== undefined)
  const [model] = values('model')
  if (file?.name !== 'file') throw new Error('the file is missing')
  if (!model) throw new Error('the model is missing')
  const format = formatOf(requests)
  if (!FORMATS.includes(format)) throw new Error(`unknown response_format ${format}`)
  if (values('timestamp_granularities[]').length > 0 && format !== 'verbose_json')
    throw new Error('timestamp_granularities[] requires verbose_json')
  const [temperature] = values('temperature')
  return {
    model,
    file,
    language: values('language')[0],
    prompt: values('prompt')[0],
    keywords: values('keywords[]'),
    temperature: temperature === undefined ? undefined : Number(temperature),
    speakers: format === 'diarized_json',
  }
}

function formatOf(requests: readonly Received[]): string {
  const found = requests.at(-1)?.parts.find(({ name }) => name === 'response_format')
  return found ? Buffer.from(found.bytes).toString() : 'json'
}

/** Response in the requested format. Only `json`, `verbose_json` and `diarized_json` report a length. */
export function writeTranscript(
  { text, seconds, segments, words }: TranscriptAnswer,
  requests: readonly Received[],
): string | object {
  const format = formatOf(requests)
  const usage = { type: 'duration', seconds }
  if (format === 'json') return { text, usage }
  if (format === 'text' || format === 'srt' || format === 'vtt') return `${text}\n`
  if (format === 'diarized_json')
    return {
      task: 'transcribe',
      duration: seconds,
      text,
      usage,
      segments: segments.map((segment, at) => ({ type: 'transcript.text.segment', id: `seg_${at}`, ...segment })),
    }
  const hasWords = requests
    .at(-1)
    ?.parts.some(({ name, bytes }) => name === 'timestamp_granularities[]' && Buffer.from(bytes).toString() === 'word')
  return {
    task: 'transcribe',
    language: 'german',
    duration: seconds,
    text,
    segments: segments.map(({ text: own, start, end }, id) => ({ id, start, end, text: ` ${own}` })),
    ...(hasWords && { words: words.map(({ text: word, start, end }) => ({ word, start, end })) }),
  }
}

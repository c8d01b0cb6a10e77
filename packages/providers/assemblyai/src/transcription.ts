import {
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  type Json,
  type Next,
  next,
  number,
  object,
  objects,
  type TranscriptionAbilities,
  type TranscriptionRequest,
  type TranscriptionResponse,
  type TranscriptionSupport,
  text,
  timedText,
  timeUsage,
} from '@headgate/core/provider'

const COMMON: TranscriptionAbilities = {
  times: 'word',
  speakers: true,
  keywords: true,
  maxBytes: 2_200_000_000,
  maxMs: 36_000_000,
  surcharges: { keywords: 'keywordMilliseconds', speakers: 'speakerMilliseconds' },
}

/** Transcripts with the times and speakers of words. */
export const transcription: TranscriptionSupport = {
  can: (model) => ({ ...COMMON, temperature: model.startsWith('universal-3') }),
  request: ({ file }) => ({
    method: 'POST',
    url: '/v2/upload',
    body: { bytes: file.content, type: 'application/octet-stream' },
  }),
  response: nextStep,
}

/** Upload, creation, then polls until the transcript is complete. */
function nextStep(
  answer: HttpResponse,
  input: TranscriptionRequest,
  earlier: readonly HttpResponse[],
): TranscriptionResponse | Next {
  const body: Json = object(answer.body) ?? {}
  const url = text(body['upload_url'])
  if (earlier.length === 0) {
    if (url === undefined) throw new HeadgateError('upstream', 'AssemblyAI returned no URL for the upload.')
    return next(creation(url, input))
  }
  if (body['status'] === 'completed') return readTranscript(body)
  const id = text(body['id'])
  if (id === undefined) throw new HeadgateError('upstream', 'AssemblyAI returned no id for the transcript.')
  return next({ method: 'GET', url: `/v2/transcript/${encodeURIComponent(id)}` }, pauseAfter(earlier.length))
}

function creation(
  audio_url: string,
  { model, language, keywords, temperature, speakers }: TranscriptionRequest,
): HttpRequest {
  const json = {
    audio_url,
    speech_models: [model],
    speaker_labels: speakers || undefined,
    language_code: language,
    language_detection: language === undefined || undefined,
    keyterms_prompt: keywords.length > 0 ? keywords : undefined,
    temperature,
  }
  return { method: 'POST', url: '/v2/transcript', body: { json } }
}

/** Pause in milliseconds before the next poll: longer for long recordings. */
function pauseAfter(steps: number): number {
  return Math.min(100 * steps ** 2, 20_000)
}

function readTranscript(body: Json): TranscriptionResponse {
  const whole = text(body['text'])
  if (whole === undefined) throw new HeadgateError('upstream', 'AssemblyAI returned an empty transcript.')
  const seconds = number(body['audio_duration'])
  return {
    text: whole,
    language: text(body['language_code']),
    seconds,
    words: objects(body['words']).flatMap(({ text: word, start, end, speaker }) =>
      timedText(word, start, end, speaker, 1_000),
    ),
    usage: timeUsage(seconds),
  }
}

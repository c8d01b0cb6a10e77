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
  type TranscriptionRequest,
  type TranscriptionResponse,
  type TranscriptionSupport,
  text,
  timedText,
  timeUsage,
} from '@headgate/core/provider'

/** Transcripts with utterances, and the times and speakers of words. */
export const transcription: TranscriptionSupport = {
  can: { times: 'word', speakers: true, keywords: true, maxBytes: 1_000_000_000, maxMs: 8_100_000 },
  request: ({ file }) => ({
    method: 'POST',
    url: '/v2/upload',
    body: { form: [{ name: 'audio', value: file.content, filename: file.name, type: file.type }] },
  }),
  response: nextStep,
}

/** Upload, creation, then polls until the transcription is done. */
function nextStep(
  answer: HttpResponse,
  input: TranscriptionRequest,
  earlier: readonly HttpResponse[],
): TranscriptionResponse | Next {
  const body: Json = object(answer.body) ?? {}
  if (earlier.length === 0) {
    const url = text(body['audio_url'])
    if (url === undefined) throw new HeadgateError('upstream', 'Gladia returned no URL for the upload.')
    return next(creation(url, input))
  }
  if (body['status'] === 'done') return readTranscript(object(body['result']) ?? {})
  const id = text(body['id'])
  if (id === undefined) throw new HeadgateError('upstream', 'Gladia returned no id for the transcription.')
  return next({ method: 'GET', url: `/v2/pre-recorded/${encodeURIComponent(id)}` }, pauseAfter(earlier.length))
}

function creation(audio_url: string, { model, language, keywords, speakers }: TranscriptionRequest): HttpRequest {
  const json = {
    audio_url,
    model,
    language_config: language === undefined ? undefined : { languages: [language] },
    diarization: speakers || undefined,
    custom_vocabulary: keywords.length > 0 || undefined,
    custom_vocabulary_config: keywords.length > 0 ? { vocabulary: keywords } : undefined,
  }
  return { method: 'POST', url: '/v2/pre-recorded', body: { json } }
}

/** Pause in milliseconds before the next poll: longer for long recordings. */
function pauseAfter(steps: number): number {
  return Math.min(100 * steps ** 2, 20_000)
}

/** Utterances have the words. `billing_time` counts each channel. */
function readTranscript({ metadata, transcription: found }: Json): TranscriptionResponse {
  const whole = text(object(found)?.['full_transcript'])
  if (whole === undefined) throw new HeadgateError('upstream', 'Gladia returned no transcript.')
  const facts = object(metadata) ?? {}
  const utterances = objects(object(found)?.['utterances'])
  const [language] = [object(found)?.['languages']].flat()
  return {
    text: whole,
    language: text(language),
    seconds: number(facts['audio_duration']),
    segments: utterances.flatMap(({ text: own, start, end, speaker }) => timedText(own, start, end, speaker)),
    words: utterances.flatMap(({ words, speaker }) =>
      objects(words).flatMap(({ word, start, end }) => timedText(word, start, end, speaker)),
    ),
    usage: timeUsage(number(facts['billing_time']) ?? number(facts['audio_duration'])),
  }
}

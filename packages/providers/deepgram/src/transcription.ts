import {
  HeadgateError,
  type HttpResponse,
  type Json,
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

/** Name of keywords: key terms from Nova 3 on. */
function keywordName(model: string): string {
  return /^nova-[12]/.test(model) ? 'keywords' : 'keyterm'
}

/** Transcripts with utterances, and the times and speakers of words. */
export const transcription: TranscriptionSupport = {
  can: { times: 'word', speakers: true, keywords: true, maxBytes: 2_000_000_000 },
  request: (input) => ({
    method: 'POST',
    url: `/v1/listen?${queryOf(input)}`,
    body: { bytes: input.file.content, type: input.file.type },
  }),
  response: readTranscript,
}

function queryOf({ model, language, keywords, speakers }: TranscriptionRequest): URLSearchParams {
  const query = new URLSearchParams({ model, smart_format: 'true', utterances: 'true' })
  if (language === undefined) query.set('detect_language', 'true')
  else query.set('language', language)
  if (speakers) query.set('diarize', 'true')
  for (const word of keywords) query.append(keywordName(model), word)
  return query
}

function readTranscript({ body }: HttpResponse): TranscriptionResponse {
  const answer: Json = object(body) ?? {}
  const results = object(answer['results']) ?? {}
  const [channel = {}] = objects(results['channels'])
  const [best] = objects(channel['alternatives'])
  const whole = text(best?.['transcript'])
  if (!best || whole === undefined) throw new HeadgateError('upstream', 'Deepgram returned no transcript.')
  const seconds = number(object(answer['metadata'])?.['duration'])
  return {
    text: whole,
    language: text(channel['detected_language']),
    seconds,
    words: objects(best['words']).flatMap(({ word, punctuated_word, start, end, speaker }) =>
      timedText(punctuated_word ?? word, start, end, speaker),
    ),
    segments: objects(results['utterances']).flatMap(({ transcript, start, end, speaker }) =>
      timedText(transcript, start, end, speaker),
    ),
    usage: timeUsage(seconds),
  }
}

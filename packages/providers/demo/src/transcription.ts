import type { TranscriptionSupport, TranscriptSegment, TranscriptWord } from '@headgate/core/provider'

/** Path of requests for transcripts. */
export const TRANSCRIPTION = '/transcription'

/** Length of a recording whose length is unknown, in seconds. */
const SECONDS = 4

/** Speakers with their sentences. */
const SAID: readonly (readonly [speaker: string, words: string])[] = [
  ['first', 'Headgate demo: no model was called.'],
  ['second', 'This transcript is always the same.'],
]

const WORDS = SAID.flatMap(([speaker, words]) => words.split(' ').map((text) => ({ speaker, text })))

/** Transcript that does not depend on the recording. Its words are spread over the whole recording. */
export const transcription: TranscriptionSupport = {
  can: { times: 'word', speakers: true, translates: true },
  request({ language = 'en' }, call) {
    if (!/^en\b/i.test(language)) call.lose('language', 'the demo only writes English')
    return { method: 'POST', url: TRANSCRIPTION, body: { json: {} } }
  },
  response(_, { milliseconds }) {
    const seconds = milliseconds === undefined ? SECONDS : milliseconds / 1_000
    const words = WORDS.map(({ speaker, text }, at): TranscriptWord => {
      return { text, speaker, start: (seconds * at) / WORDS.length, end: (seconds * (at + 1)) / WORDS.length }
    })
    const segments = SAID.map(([speaker, text]): TranscriptSegment => {
      const own = words.filter((word) => word.speaker === speaker)
      return { text, speaker, start: own[0]?.start ?? 0, end: own.at(-1)?.end ?? seconds }
    })
    return {
      text: SAID.map(([, text]) => text).join(' '),
      language: 'en',
      seconds,
      words,
      segments,
      usage: { input: 0, output: 0, units: { milliseconds: Math.ceil(seconds * 1_000) } },
    }
  },
}

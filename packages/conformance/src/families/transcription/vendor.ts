import type { TranscriptSegment, TranscriptWord } from '@headgate/core/provider'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { TranscriptAnswer, TranscriptionFacts, TranscriptMeaning } from './facts.ts'
import { readTranscriptForm, writeTranscript } from './shared.ts'

/** Simulated vendor that returns the same transcript for every recording. */
export interface TranscriptionVendor {
  /** Responds according to its facts. */
  answer(request: Received): UpstreamReply
  /** Requests as it understood them, oldest first. */
  readonly asked: readonly TranscriptMeaning[]
  readonly refusals: readonly string[]
  error(status: number, message: string): object
}

/** Length of the recording as the vendor reports it. It is longer than the last word. */
export const SECONDS = 12.345

/** Words that two people speak, whose ids are not in the order of their appearance. A pause and a sentence end in between. */
export const WORDS: readonly TranscriptWord[] = [
  { text: 'Guten', start: 0.12, end: 0.48, speaker: '1' },
  { text: 'Tag,', start: 0.48, end: 0.9, speaker: '1' },
  { text: 'Größe', start: 1, end: 1.406, speaker: '1' },
  { text: '狐?', start: 1.5, end: 2.017, speaker: '1' },
  { text: 'Ja.', start: 3.25, end: 4.2, speaker: '0' },
]

export const SEGMENTS: readonly TranscriptSegment[] = [
  { text: 'Guten Tag, Größe 狐?', start: 0.12, end: 2.017, speaker: '1' },
  { text: 'Ja.', start: 3.25, end: 4.2, speaker: '0' },
]

export const TEXT = 'Guten Tag, Größe 狐? Ja.'
export const LANGUAGE = { code: 'de', name: 'german' } as const

/** Requests of one transcript. */
export function requestsOf({ requests = ['POST /v1/audio/transcriptions'] }: TranscriptionFacts): readonly string[] {
  return requests
}

export function transcriptionVendor(facts: TranscriptionFacts, hasPause = false): TranscriptionVendor {
  const { replies = [], pending, read = (given) => readTranscriptForm(given), write = writeTranscript } = facts
  const { error = (_, message) => ({ error: { message } }) } = facts
  const requests = requestsOf(facts)
  const asked: TranscriptMeaning[] = []
  const refusals: string[] = []
  let seen: Received[] = []
  let isPending = hasPause
  const refuse = (reason: string): UpstreamReply => {
    seen = []
    refusals.push(reason)
    return { kind: 'whole', status: 400, body: error(400, reason) }
  }
  const answerOf = (request: TranscriptMeaning): TranscriptAnswer => ({
    text: TEXT,
    language: LANGUAGE.code,
    seconds: SECONDS,
    segments: SEGMENTS,
    words: WORDS,
    request,
  })
  return {
    asked,
    refusals,
    error,
    answer(request) {
      const line = `${request.method} ${request.path}`
      // A retry begins again.
      if (line === requests[0]) seen = []
      const due = requests[seen.length]
      if (line !== due) return refuse(`${line}, expected ${due ?? 'no further request'}`)
      const reply = replies[seen.length]
      const isLast = seen.length === requests.length - 1
      if (isLast && isPending && pending) {
        isPending = false
        return { kind: 'whole', body: pending }
      }
      seen.push(request)
      if (!isLast) return reply ? { kind: 'whole', body: reply } : refuse('the facts have no reply to this request')
      try {
        const found = read(seen)
        asked.push(found)
        const body = write(answerOf(found), seen)
        seen = []
        return { kind: 'whole', body }
      } catch (problem) {
        return refuse(
          `\`read\` or \`write\` of the facts throws: ${problem instanceof Error ? problem.message : String(problem)}`,
        )
      }
    },
  }
}

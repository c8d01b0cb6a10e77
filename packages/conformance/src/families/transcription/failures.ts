import { FAILURES } from '@headgate/core/errors'
import type { Check } from '../../checks/check.ts'
import type { FailingFamily } from '../../failures/family-checks.ts'
import { question } from './recording.ts'
import type { TranscriptionTarget } from './target.ts'
import { said } from './transcript.ts'
import { requestsOf, transcriptionVendor } from './vendor.ts'

export const FAILING_TRANSCRIPTION: FailingFamily<TranscriptionTarget> = {
  requests: 'transcription requests',
  topic: 'transcription',
  question: ({ transcription }) => question(transcription.model),
  error: ({ transcription }) => transcriptionVendor(transcription).error,
}

/** Responses with status 200 and without a transcript. An empty text must never look like a silent recording. */
export const brokenTranscriptCheck: Check<TranscriptionTarget> = {
  name: 'rejects responses with status 200 and without a transcript',
  async run({ harness, transcription }) {
    const { model, failures = [], error = (_, message) => ({ error: { message } }) } = transcription
    const bodies = [
      { name: 'an empty object', body: {}, kind: 'upstream' as const },
      { name: 'an error object', body: error(400, 'The recording is broken.'), kind: undefined },
      { name: 'an HTML page', body: '<html><body>Maintenance</body></html>', kind: 'upstream' as const },
      ...failures,
    ]
    const findings: string[] = []
    for (const { name, body, kind } of bodies) {
      const vendor = transcriptionVendor(transcription)
      const last = requestsOf(transcription).at(-1)
      harness.upstream.answer((request) =>
        `${request.method} ${request.path}` === last ? { kind: 'whole', body } : vendor.answer(request),
      )
      const before = harness.rows.length
      const got = await harness.ask(question(model))
      const row = harness.rows.slice(before).at(-1)
      const isRight = kind === undefined ? got.status >= 400 : got.status === FAILURES[kind].status
      if (!isRight || row?.billed)
        findings.push(
          `For ${name} with status 200, callers get ${said(got)} Expected: ${kind ?? 'an error'}; \`transcription.response\` or \`readError\` must reject it.`,
        )
    }
    return findings
  },
}

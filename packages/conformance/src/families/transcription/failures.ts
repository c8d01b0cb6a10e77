import { FAILURES } from '@headgate/core/errors'
import { type Check, distinct } from '../../checks/check.ts'
import type { Failure } from '../../failures/failure.ts'
import { failuresByStatus } from '../../failures/status.ts'
import { transportFailures } from '../../failures/transport.ts'
import type { UpstreamReply } from '../../upstream.ts'
import { question } from './recording.ts'
import type { TranscriptionTarget } from './target.ts'
import { said } from './transcript.ts'
import { requestsOf, transcriptionVendor } from './vendor.ts'

/** Shorter than the waits that failures request, longer than any other wait. */
const PATIENCE_MS = 15_000

export const transcriptErrorsCheck: Check<TranscriptionTarget> = {
  name: "distinguishes the upstream's failures of transcription requests",
  async run(target) {
    const { error } = transcriptionVendor(target.transcription)
    const findings: string[] = []
    for (const failure of [...failuresByStatus(error), ...transportFailures])
      findings.push(...(await fail(target, failure)))
    return distinct(findings)
  },
}

async function fail({ harness, transcription }: TranscriptionTarget, failure: Failure): Promise<string[]> {
  const { status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const headers = { 'headgate-timeout-ms': String(PATIENCE_MS) }
  const got = await harness.ask({ ...question(transcription.model), headers })
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${said(got)} ${advice}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}. ${advice}`]),
  ]
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

/** Places where a message of the upstream could expose the key. */
export const transcriptSecrecyCheck = (secrets: readonly string[]): Check<TranscriptionTarget> => ({
  name: 'keeps its key out of errors and warnings about transcription',
  async run({ harness, transcription }) {
    const { error } = transcriptionVendor(transcription)
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const reply: UpstreamReply = { kind: 'whole', status, headers, body: error(status, echo) }
      harness.upstream.answer(reply)
      await harness.ask(question(transcription.model))
    }
    const told = harness.said.filter((one) => secrets.some((secret) => one.includes(secret)))
    return told.length === 0 ? [] : [`The provider's key was exposed ${told.length} times: remove it in \`readError\`.`]
  },
})

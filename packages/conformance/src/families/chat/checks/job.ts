import type { Check } from '../../../checks/check.ts'
import { envelopeProblems } from '../../../checks/envelope.ts'
import type { JobFacts } from '../facts.ts'
import { lineOf } from '../job.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'

/** Requests for the state of a job. */
export const jobCheck = (job: JobFacts): Check<ChatTarget> => ({
  name: 'polls a job until it is done or has failed',
  async run({ harness, model, upstream, vendor }) {
    const wire = vendor.caller
    const question = { path: wire.path(model, false), body: wire.body(text.requests[wire.id], model, false) }
    harness.upstream.answer(vendor.whole(text))
    await harness.ask(question)
    const [created, ...others] = harness.upstream.received
    const polls = others.filter((request) => !created || lineOf(request) !== lineOf(created))
    const strays = polls.filter((request) => lineOf(request) !== job.get)
    const due = job.running.length + 1
    const findings = [
      ...strays.map(
        (stray) => `The adapter polled the job with ${lineOf(stray)}, but the vendor expects ${job.get}: fix \`poll\`.`,
      ),
      ...(polls.length === due
        ? []
        : [
            `The adapter polled the job ${polls.length} times, expected ${due}: \`poll\` must return \`next(…)\` while the job runs, and undefined once it is done.`,
          ]),
      ...(polls[0] ? envelopeProblems(polls[0], upstream) : []),
    ]
    if (findings.length > 0 || !job.failed) return findings
    harness.upstream.answer({ kind: 'whole', body: job.failed })
    const { status } = await harness.ask(question)
    return status >= 400 && harness.rows.at(-1)?.failure !== undefined
      ? []
      : [`Callers get status ${status} for a failed job: \`readError\` must read the failure from the response.`]
  },
})

import type { Check } from '../../../checks/check.ts'
import { envelopeProblems } from '../../../checks/envelope.ts'
import type { JobFacts } from '../facts.ts'
import { lineOf } from '../job.ts'
import { text } from '../scenarios/text.ts'
import type { ChatSubject } from '../subject.ts'

/** Requests for the state of a job. */
export const jobCheck = (job: JobFacts): Check<ChatSubject> => ({
  name: 'asks for the state of a job until it is done, or has failed',
  async run({ bench, model, upstream, vendor }) {
    const wire = vendor.caller
    const question = { path: wire.path(model, false), body: wire.body(text.requests[wire.id], model, false) }
    bench.upstream.answer(vendor.whole(text))
    await bench.ask(question)
    const [created, ...others] = bench.upstream.received
    const polls = others.filter((request) => !created || lineOf(request) !== lineOf(created))
    const strays = polls.filter((request) => lineOf(request) !== job.get)
    const due = job.running.length + 1
    const findings = [
      ...strays.map(
        (stray) =>
          `The state of a job was asked for with ${lineOf(stray)}, the vendor has it at ${job.get}: fix \`poll\`.`,
      ),
      ...(polls.length === due
        ? []
        : [
            `The state of a job was asked for ${polls.length} times, due is ${due}: \`poll\` must return \`next(…)\` while the job runs, and undefined once it is done.`,
          ]),
      ...(polls[0] ? envelopeProblems(polls[0], upstream) : []),
    ]
    if (findings.length > 0 || !job.failed) return findings
    bench.upstream.answer({ kind: 'whole', body: job.failed })
    const { status } = await bench.ask(question)
    return status >= 400 && bench.rows.at(-1)?.failure !== undefined
      ? []
      : [`Callers get status ${status} for a job that has failed: \`readError\` must read it from the response.`]
  },
})

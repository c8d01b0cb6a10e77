import { FAILURES } from '@headgate/core/errors'
import type { Got } from '../../../caller.ts'
import { type Check, distinct } from '../../../checks/check.ts'
import type { Failure } from '../../../failures/failure.ts'
import { transportFailures } from '../../../failures/transport.ts'
import { isStale } from '../../../stale.ts'
import { text } from '../scenarios/text.ts'
import type { ChatSubject } from '../subject.ts'
import type { Wire } from '../wire/index.ts'

/** Each candidate is asked once, then up to three times again. */
const CALLS_AGAIN = 4
/** Shorter than any wait that a failure asks for, longer than any that it does not. */
const PATIENCE_MS = 15_000

/** Failures before anything of an answer has come. */
export const errorsCheck: Check<ChatSubject> = {
  name: 'tells failures of the upstream apart, and callers in their own format',
  async run(subject) {
    const findings: string[] = []
    for (const [index, failure] of [...subject.vendor.failures.answers, ...transportFailures].entries()) {
      for (const wire of subject.callers) {
        for (const stream of subject.extent === 'short' ? [index % 2 === 0] : [false, true])
          findings.push(...(await fail(subject, failure, wire, stream)))
      }
    }
    return distinct(findings)
  },
}

async function fail({ bench, model }: ChatSubject, failure: Failure, wire: Wire, stream: boolean): Promise<string[]> {
  const { again, status } = FAILURES[failure.kind]
  bench.upstream.answer(failure.reply)
  const before = bench.rows.length
  const got = await bench.ask({
    path: wire.path(model, stream),
    body: wire.body(text.requests[wire.id], model, stream),
    headers: { 'headgate-timeout-ms': String(PATIENCE_MS) },
  })
  const calls = bench.upstream.received.length
  const dueCalls =
    again && failure.retryAfter === undefined ? CALLS_AGAIN : isStale(bench.provider.credential, failure.reply) ? 2 : 1
  const row = bench.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const mend = bench.mendReader()
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${got.status}. ${mend}`]),
    ...(calls === dueCalls || (failure.mayReconnect && calls === dueCalls + 1)
      ? []
      : [`${what}, so it is asked ${times(dueCalls)}; it was asked ${times(calls)}. ${mend}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row says ${row?.failure ?? 'nothing'}. ${mend}`]),
    ...answerProblems(got, failure, wire).map((problem) => `${what}: ${problem}. ${mend}`),
  ]
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function answerProblems({ body, headers, status }: Got, failure: Failure, wire: Wire): string[] {
  const wait = Number(headers['retry-after'])
  return [
    ...(wire.readError(body) ? [] : [`callers of ${wire.id} get no error of their format`]),
    ...(status !== 429 || wait >= (failure.retryAfter ?? 1)
      ? []
      : [`\`retry-after\` is ${headers['retry-after']}, the upstream asked for ${failure.retryAfter ?? 'none'}`]),
    ...(status === 429 || headers['x-should-retry'] === 'false'
      ? []
      : ['`x-should-retry` is not false, so that SDKs ask again']),
  ]
}

/** Failures after the answer has begun: the caller must not take what it has for the whole. */
export const brokenStreamCheck: Check<ChatSubject> = {
  name: 'tells callers within the stream when the upstream fails in the middle of it',
  async run(subject) {
    const frames = subject.vendor.frames(text)
    const half = frames.slice(0, Math.ceil(frames.length / 2))
    const error = subject.vendor.errorFrame('The upstream broke down.')
    const findings: string[] = []
    for (const wire of subject.callers) {
      findings.push(
        ...(error ? await breakOff(subject, wire, 'sends an error within the stream', [...half, error], 'close') : []),
        ...(await breakOff(subject, wire, 'breaks the connection within the stream', half, 'cut')),
        ...(await breakOff(subject, wire, 'ends the stream before its last frame', half, 'close')),
      )
    }
    return distinct(findings)
  },
}

async function breakOff(
  { bench, model, vendor }: ChatSubject,
  wire: Wire,
  how: string,
  pieces: readonly Uint8Array[],
  end: 'close' | 'cut',
): Promise<string[]> {
  bench.upstream.answer(vendor.stream(pieces, end))
  const before = bench.rows.length
  const got = await bench.ask({ path: wire.path(model, true), body: wire.body(text.requests[wire.id], model, true) })
  const { error, meaning, problems } = wire.readStream(got.text)
  const row = bench.rows.slice(before).at(-1)
  const what = `When the upstream ${how}, callers of ${wire.id}`
  const mend = 'Look at `patchFrame`: errors must pass it.'
  return [
    ...(got.status === 200 ? [] : [`${what} get status ${got.status}, though an answer had begun.`]),
    ...(error === undefined
      ? [`${what} are not told. ${mend}`]
      : problems.map((problem) => `${what} get a wrong stream: ${problem}.`)),
    ...(meaning.text !== '' && text.meaning.text.startsWith(meaning.text)
      ? []
      : [`${what} get another text than the upstream's. ${mend}`]),
    ...(row?.failure ? [] : [`${what} leave a usage row without a failure. ${mend}`]),
  ]
}

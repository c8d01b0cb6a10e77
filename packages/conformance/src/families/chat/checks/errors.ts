import { FAILURES } from '@headgate/core/errors'
import type { CallerResponse } from '../../../caller.ts'
import { type Check, distinct } from '../../../checks/check.ts'
import type { Failure } from '../../../failures/failure.ts'
import { transportFailures } from '../../../failures/transport.ts'
import { isStale } from '../../../stale.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'
import type { Wire } from '../wire/index.ts'

/** Calls to one candidate: the first and up to three retries. */
const CALLS_AGAIN = 4
/** Shorter than the waits that failures request, longer than any other wait. */
const PATIENCE_MS = 15_000

/** Failures before the response begins. */
export const errorsCheck: Check<ChatTarget> = {
  name: "distinguishes the upstream's failures, and reports them in the caller's format",
  async run(target) {
    const findings: string[] = []
    for (const [index, failure] of [...target.vendor.failures.answers, ...transportFailures].entries()) {
      for (const wire of target.callers) {
        for (const stream of target.scope === 'short' ? [index % 2 === 0] : [false, true])
          findings.push(...(await fail(target, failure, wire, stream)))
      }
    }
    return distinct(findings)
  },
}

async function fail({ harness, model }: ChatTarget, failure: Failure, wire: Wire, stream: boolean): Promise<string[]> {
  const { again, status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const got = await harness.ask({
    path: wire.path(model, stream),
    body: wire.body(text.requests[wire.id], model, stream),
    headers: { 'headgate-timeout-ms': String(PATIENCE_MS) },
  })
  const calls = harness.upstream.received.length
  const dueCalls =
    again && failure.retryAfter === undefined
      ? CALLS_AGAIN
      : isStale(harness.provider.credential, failure.reply)
        ? 2
        : 1
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${got.status}. ${advice}`]),
    ...(calls === dueCalls || (failure.mayReconnect && calls === dueCalls + 1)
      ? []
      : [`${what}, so the gateway must call it ${times(dueCalls)}; it was called ${times(calls)}. ${advice}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}. ${advice}`]),
    ...answerProblems(got, failure, wire).map((problem) => `${what}: ${problem}. ${advice}`),
  ]
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function answerProblems({ body, headers, status }: CallerResponse, failure: Failure, wire: Wire): string[] {
  const wait = Number(headers['retry-after'])
  return [
    ...(wire.readError(body) ? [] : [`callers of ${wire.id} do not get an error in their format`]),
    ...(status !== 429 || wait >= (failure.retryAfter ?? 1)
      ? []
      : [`\`retry-after\` is ${headers['retry-after']}, but the upstream requested ${failure.retryAfter ?? 'none'}`]),
    ...(status === 429 || headers['x-should-retry'] === 'false'
      ? []
      : ['`x-should-retry` is not false, so SDKs retry']),
  ]
}

/** Failures after the response has begun: callers must not mistake a partial response for a whole one. */
export const brokenStreamCheck: Check<ChatTarget> = {
  name: 'reports failures in the middle of a stream within the stream',
  async run(target) {
    const frames = target.vendor.frames(text)
    const half = frames.slice(0, Math.ceil(frames.length / 2))
    const error = target.vendor.errorFrame('The upstream failed.')
    const findings: string[] = []
    for (const wire of target.callers) {
      findings.push(
        ...(error ? await breakOff(target, wire, 'sends an error within the stream', [...half, error], 'close') : []),
        ...(await breakOff(target, wire, 'breaks the connection within the stream', half, 'cut')),
        ...(await breakOff(target, wire, 'ends the stream before its last frame', half, 'close')),
      )
    }
    return distinct(findings)
  },
}

async function breakOff(
  { harness, model, vendor }: ChatTarget,
  wire: Wire,
  how: string,
  pieces: readonly Uint8Array[],
  end: 'close' | 'cut',
): Promise<string[]> {
  harness.upstream.answer(vendor.stream(pieces, end))
  const before = harness.rows.length
  const got = await harness.ask({ path: wire.path(model, true), body: wire.body(text.requests[wire.id], model, true) })
  const { error, meaning, problems } = wire.readStream(got.text)
  const row = harness.rows.slice(before).at(-1)
  const what = `When the upstream ${how}, callers of ${wire.id}`
  const advice = 'Check `patchFrame`: it must pass errors on.'
  return [
    ...(got.status === 200 ? [] : [`${what} get status ${got.status}, although a response had begun.`]),
    ...(error === undefined
      ? [`${what} get no error. ${advice}`]
      : problems.map((problem) => `${what} get an invalid stream: ${problem}.`)),
    ...(meaning.text !== '' && text.meaning.text.startsWith(meaning.text)
      ? []
      : [`${what} get text that differs from the upstream's. ${advice}`]),
    ...(row?.failure ? [] : [`${what} leave a usage row without a failure. ${advice}`]),
  ]
}

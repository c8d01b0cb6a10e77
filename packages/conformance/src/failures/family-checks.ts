import { FAILURES } from '@headgate/core/errors'
import type { Question } from '../caller.ts'
import { type Check, distinct, type RemoteTarget } from '../checks/check.ts'
import type { Failure } from './failure.ts'
import { failuresByStatus } from './status.ts'
import { transportFailures } from './transport.ts'

/** Shorter than the waits that failures request, longer than any other wait. */
export const PATIENCE_MS = 15_000

/** Family with one request and one response. */
export interface FailingFamily<S extends RemoteTarget> {
  /** Name of its requests: `rerank requests`. */
  readonly requests: string
  /** Topic of its messages: `reranking`. */
  readonly topic: string
  /** Valid request of a caller. */
  question(target: S): Question
  /** Writer of the vendor's error bodies. */
  error(target: S): (status: number, message: string) => object
  /** Failures that only this family has. */
  others?(error: (status: number, message: string) => object): readonly Failure[]
}

/** Each failure of the upstream has the status of its kind for callers, and is in the usage row without a cost. */
export function errorsCheck<S extends RemoteTarget>(family: FailingFamily<S>): Check<S> {
  return {
    name: `distinguishes the upstream's failures of ${family.requests}`,
    async run(target) {
      const error = family.error(target)
      const findings: string[] = []
      const others = family.others?.(error) ?? []
      for (const failure of [...failuresByStatus(error), ...transportFailures, ...others])
        findings.push(...(await fail(family.question(target), target, failure)))
      return distinct(findings)
    },
  }
}

async function fail(question: Question, { harness }: RemoteTarget, failure: Failure): Promise<string[]> {
  const { status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const got = await harness.ask({ ...question, headers: { 'headgate-timeout-ms': String(PATIENCE_MS) } })
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  const said = `status ${got.status}${got.broken ? ', broken' : ''}, ${got.text.slice(0, 200)}.`
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${said} ${advice}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}. ${advice}`]),
  ]
}

/** Messages and headers of the upstream that contain the key do not reach callers or operators. */
export function secrecyCheck<S extends RemoteTarget>(family: FailingFamily<S>, secrets: readonly string[]): Check<S> {
  return {
    name: `keeps its key out of errors and warnings about ${family.topic}`,
    async run(target) {
      const { harness } = target
      const error = family.error(target)
      const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
      const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
      for (const status of [400, 401, 403, 404, 429, 500]) {
        harness.upstream.answer({ kind: 'whole', status, headers, body: error(status, echo) })
        await harness.ask(family.question(target))
      }
      const exposed = harness.said.filter((one) => secrets.some((secret) => one.includes(secret)))
      if (exposed.length === 0) return []
      return [`The provider's key was exposed ${exposed.length} times: remove it in \`readError\`.`]
    },
  }
}

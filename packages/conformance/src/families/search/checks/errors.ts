import { FAILURES } from '@headgate/core/errors'
import type { ErrorKind } from '@headgate/gateway'
import { distinct } from '../../../checks/check.ts'
import { isObject, objects } from '../../../json.ts'
import { isStale } from '../../../stale.ts'
import type { UpstreamReply } from '../../../upstream.ts'
import type { Failure } from '../../chat/failures/index.ts'
import type { SearchUpstreamFacts } from '../facts.ts'
import type { SearchOutcome } from '../harness.ts'
import { errorBody, jsonReply } from '../vendor.ts'
import { type RemoteSearchTarget, type SearchCheck, said } from './check.ts'

/** Error kinds by status, independent of the vendor. */
const STATUSES: readonly [number, ErrorKind][] = [
  [400, 'invalid-request'],
  [401, 'our-credential'],
  [402, 'our-quota'],
  [403, 'our-credential'],
  [422, 'invalid-request'],
  [429, 'rate-limited'],
  [500, 'upstream'],
  [503, 'overloaded'],
]
/** Seconds; more than the gateway's patience in this kit, so that it does not wait. */
const RETRY_AFTER = 30
const HTML = '<html><body>It did not work.</body></html>'
/** Calls to one candidate: the first and up to three retries. */
const CALLS_AGAIN = 4

/** Failures of the vendor. They replace the common failures with the same status. */
function failuresOf(upstream: SearchUpstreamFacts): Failure[] {
  const { failures: own = [] } = upstream
  const isOwn = (status: number) => own.some(({ reply }) => reply.kind === 'whole' && reply.status === status)
  const answers = STATUSES.filter(([status]) => !isOwn(status)).flatMap(([status, kind]): Failure[] => {
    const headers: Record<string, string> = status === 429 ? { 'retry-after': String(RETRY_AFTER) } : {}
    const wait = status === 429 ? { retryAfter: RETRY_AFTER } : {}
    const page: UpstreamReply = {
      kind: 'whole',
      status,
      headers: { ...headers, 'content-type': 'text/html' },
      body: HTML,
    }
    return [
      { name: `status ${status}`, kind, ...wait, reply: jsonReply(errorBody(upstream, status), status, headers) },
      { name: `status ${status} with an HTML page`, kind, ...wait, reply: page },
    ]
  })
  const reset: Failure = {
    name: 'a connection that closes immediately',
    kind: 'upstream',
    reply: { kind: 'reset' },
    mayReconnect: true,
  }
  return [...answers, reset, ...own]
}

export const errorsCheck: SearchCheck<RemoteSearchTarget> = {
  name: "distinguishes its vendor's failures, and reports them in the shape of Custom Search",
  async run(target) {
    const findings: string[] = []
    for (const failure of failuresOf(target.upstream)) findings.push(...(await fail(target, failure)))
    return distinct(findings)
  },
}

async function fail({ harness }: RemoteSearchTarget, failure: Failure): Promise<string[]> {
  const { again, status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const found = await harness.search({ q: 'gateways' })
  const calls = harness.upstream.received.length
  const dueCalls =
    again && failure.retryAfter === undefined ? CALLS_AGAIN : isStale(harness.backend.credential, failure.reply) ? 2 : 1
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  return [
    ...(found.status === status
      ? []
      : [`${what}, so callers get status ${status}; they got ${said(found)}. ${advice}`]),
    ...(calls === dueCalls || (failure.mayReconnect && calls === dueCalls + 1)
      ? []
      : [`${what}, so the gateway must call the upstream ${dueCalls} times; it was called ${calls} times. ${advice}`]),
    ...(row && !row.billed && row.failure && FAILURES[row.failure].status === status
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}, billed: ${row?.billed}. ${advice}`]),
    ...shapeProblems(found, failure).map((problem) => `${what}: ${problem}. ${advice}`),
  ]
}

/** @see https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list */
function shapeProblems({ body, headers, status }: SearchOutcome, failure: Failure): string[] {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const wait = Number(headers['retry-after'])
  const isShaped =
    error['code'] === status && typeof error['message'] === 'string' && objects(error['errors']).length > 0
  return [
    ...(isShaped && typeof error['status'] === 'string'
      ? []
      : [`callers do not get an error of Custom Search, but ${JSON.stringify(body)}`]),
    ...(status !== 429 || wait >= (failure.retryAfter ?? 1)
      ? []
      : [`\`retry-after\` is ${headers['retry-after']}, but the upstream requested ${failure.retryAfter ?? 'none'}`]),
    ...(status === 429 || headers['x-should-retry'] === 'false'
      ? []
      : ['`x-should-retry` is not false, so clients retry']),
  ]
}

import { chatAnswer, chatChunk, chatUsage } from '../../../core/test/support/wire.ts'
import type { Budgets, EndpointEntry, ErrorKind, GatewayOptions, ProviderInstance } from '../../src/index.ts'
import type { UpstreamCall } from '../support/upstream.ts'
import { CLOSED_ORIGIN } from '../support/upstream.ts'

export const MODES = ['unary', 'stream', 'background', 'video'] as const
export type Mode = (typeof MODES)[number]
export type When = 'before' | 'after'

/** What a case does with a request. */
export interface Scenario {
  readonly headers?: Readonly<Record<string, string>>
  readonly options?: Partial<GatewayOptions>
  /** Changes of the provider, whose credential may come from `issuer`. */
  readonly provider?: (issuer: string, url: string) => Partial<ProviderInstance>
  /** What the provider does; default: it must not be called. */
  readonly upstream?: (call: UpstreamCall, mode: Mode) => unknown
  /** Changes of the body. */
  readonly body?: object
  readonly path?: string
  readonly method?: string
  /** Whether the caller leaves, or cancels, once the provider (or the issuer of its credential) is called. */
  readonly leaves?: true
  /** Whether the caller leaves after content. */
  readonly hasContent?: true
  /** Whether the body is never sent. */
  readonly isSilent?: true
  /** Budget in dollars; default 5. */
  readonly budget?: number
  /** Kinds that a mode reports instead. */
  readonly kinds?: Partial<Record<Mode, string>>
}

/** One cause of a failure. `modes`: where it is possible, or why not. */
export interface Case {
  readonly kind: ErrorKind
  readonly when: When
  readonly cause: string
  /** Absent = not possible, for the reason that `cause` gives. */
  readonly scenario?: Scenario
  /** Modes where it is not possible, each with the reason. */
  readonly not?: Partial<Record<Mode, string>>
}

/** Routing with which each case has the same result as without. */
export interface Variant {
  readonly endpoints?: readonly EndpointEntry[]
  readonly isHedged?: boolean
  /** True if upstreams respond when a second call has arrived. */
  readonly isSlow?: boolean
}

const TWO: readonly EndpointEntry[] = [{ name: 'one' }, { name: 'two' }]

/** Variants of the routing. */
export const VARIANTS: readonly (Variant & { readonly title: string })[] = [
  { title: 'with hedging on', isHedged: true },
  { title: 'with two endpoints', endpoints: TWO },
  { title: 'with two endpoints and second calls', endpoints: TWO, isHedged: true, isSlow: true },
]

const failed = (status: number, error: object = {}) => ({
  upstream: (call: UpstreamCall) => call.answer(status, { error: { message: 'No.', ...error } }),
})

/** An error response that is complete: the provider says that it did no work. */
const refused = (kind: ErrorKind, status: number, error: object = {}): Case => ({
  kind,
  when: 'after',
  cause: `complete error response ${status}`,
  scenario: failed(status, error),
})

const never = (kind: ErrorKind, when: When, why: string): Case => ({ kind, when, cause: why })
const early = (kind: ErrorKind, cause: string, scenario: Scenario, not: Case['not'] = {}): Case => ({
  kind,
  when: 'before',
  cause,
  scenario,
  not,
})
const late = (kind: ErrorKind, cause: string, scenario: Scenario, not: Case['not'] = {}): Case => ({
  kind,
  when: 'after',
  cause,
  scenario,
  not,
})

const ONLY_UPSTREAM = 'only a provider reports it'
const CHECKED = 'it is checked before a provider is called'
const NO_STREAM = 'the response is not a stream'
const streaming = { unary: NO_STREAM, background: NO_STREAM, video: NO_STREAM }

/** A credential that must be obtained first. */
const leased = (issuer: string): Partial<ProviderInstance> => ({
  credential: {
    kind: 'signed',
    sign: () => ({}),
    lease: {
      hosts: [new URL(issuer).origin],
      obtain: {
        request: () => ({ method: 'POST', url: issuer, body: { json: {} } }),
        response: () => ({ token: 'leased', expiresAt: new Date(Date.now() + 3_600_000) }),
      },
      secrets: () => [],
    },
  },
})

/** Budgets whose store does not answer. */
const SILENT_BUDGETS: Budgets = {
  bounds: () => true,
  reserve: () => ({
    why: 'away',
    budget: { name: 'team', scope: 'key', limit: 1n, period: 'forever' },
    spent: 0n,
    held: 0n,
    room: 0n,
    retryAfterMs: 1_000,
  }),
  release() {},
}

/** Content, then whatever ends the stream. */
const begun = (end: (call: UpstreamCall) => unknown) => (call: UpstreamCall) => {
  call.head(200, { 'content-type': 'text/event-stream' })
  return call.write(chatChunk({ role: 'assistant', content: 'Hi' })).then(() => end(call))
}

/** A task that is created, and what the provider says of it later. */
const task = (look: (call: UpstreamCall) => unknown) => (call: UpstreamCall) =>
  call.method === 'POST' ? call.answer(200, { id: '1' }) : look(call)
const isNoTask = 'the response is not a task'
const NO_TASK = { unary: isNoTask, stream: isNoTask, background: isNoTask }

/** Every kind of failure, before and after a request was sent to a provider. */
export const CASES: readonly Case[] = [
  early('invalid-request', 'the gateway rejects the body', { body: { messages: 5, input: 5, content: 5 } }),
  refused('invalid-request', 400),
  late(
    'invalid-request',
    'complete error response 400 with usage',
    {
      upstream: (call) => call.answer(400, { error: { message: 'No.' }, usage: chatUsage }),
    },
    { video: 'a creation reports no usage' },
  ),
  never('content-policy', 'before', ONLY_UPSTREAM),
  refused('content-policy', 400, { code: 'content_policy_violation' }),
  never('context-too-long', 'before', ONLY_UPSTREAM),
  refused('context-too-long', 413),
  early('unknown-model', 'no provider has the model', { body: { model: 'no-such-model' } }),
  refused('unknown-model', 404),
  early('our-credential', 'the credential cannot be obtained', { provider: leased }),
  refused('our-credential', 401),
  never('our-quota', 'before', ONLY_UPSTREAM),
  refused('our-quota', 402),
  never('rate-limited', 'before', `${ONLY_UPSTREAM}; limits of the gateway are \`over-limit\``),
  refused('rate-limited', 429),
  never('overloaded', 'before', ONLY_UPSTREAM),
  refused('overloaded', 503),
  late(
    'overloaded',
    'error event after content',
    {
      upstream: begun((call) =>
        call.end(`data: ${JSON.stringify({ error: { message: 'No.', code: 503, type: 'overloaded' } })}\n\n`),
      ),
    },
    streaming,
  ),
  early('upstream', 'connection refused', { provider: () => ({ baseUrl: CLOSED_ORIGIN }) }),
  refused('upstream', 500),
  late('upstream', 'connection reset', { upstream: (call) => call.reset() }),
  late('upstream', 'error response that breaks off', {
    upstream(call) {
      call.head(500, { 'content-type': 'application/json' })
      return call.write('{"error":').then(() => call.cut())
    },
  }),
  late('upstream', 'error with the status 200', { ...failed(200) }),
  late('upstream', 'unusable response', { upstream: (call) => call.answer(200, 'work done') }),
  late(
    'upstream',
    'unusable response with usage',
    {
      upstream: (call) => call.answer(200, { ...chatAnswer(), choices: 5 }),
    },
    { stream: 'the response is not a stream', video: 'a creation reports no usage' },
  ),
  late(
    'upstream',
    'response over `limits.answer`',
    { options: { limits: { answer: 2_000 } }, upstream: (call) => call.answer(200, chatAnswer('x'.repeat(5_000))) },
    { stream: 'streams have no such limit' },
  ),
  late('upstream', 'stream without content', { upstream: (call) => call.stream([]) }, streaming),
  late(
    'upstream',
    'the provider reports that the task failed',
    { upstream: task((call) => call.answer(200, { state: 'broken' })) },
    NO_TASK,
  ),
  late(
    'upstream',
    'the provider no longer knows the task',
    { upstream: task((call) => call.answer(404, {})) },
    NO_TASK,
  ),
  early('timeout', '`headgate-timeout-ms` passes while the credential is obtained', {
    provider: leased,
    headers: { 'headgate-timeout-ms': '60' },
  }),
  late('timeout', '`headgate-timeout-ms` passes', { headers: { 'headgate-timeout-ms': '60' }, upstream() {} }),
  late('timeout', 'no first byte within `times.firstByte`', { options: { times: { firstByte: 60 } }, upstream() {} }),
  never('cut', 'before', 'nothing of a response has come'),
  late(
    'cut',
    'the stream ends after content',
    { upstream: begun((call) => call.end()), kinds: { stream: 'upstream' } },
    streaming,
  ),
  late(
    'cut',
    'the connection breaks after content',
    { upstream: begun((call) => call.cut()), kinds: { stream: 'upstream' } },
    streaming,
  ),
  early('bad-key', 'the key is unknown', { headers: { authorization: 'Bearer sk-unknown' } }),
  never('bad-key', 'after', CHECKED),
  early('forbidden', 'the key may not use the model', {
    headers: { authorization: 'Bearer sk-limited' },
    body: { model: 'dear' },
  }),
  never('forbidden', 'after', CHECKED),
  early('not-found', 'the path does not exist', { path: '/v1/no-such-path' }),
  never('not-found', 'after', `${CHECKED}; a 404 of a provider is \`unknown-model\``),
  early('method-not-allowed', 'the path has no such method', { method: 'PATCH' }),
  never('method-not-allowed', 'after', CHECKED),
  never('conflict', 'before', 'requests that create something do not conflict'),
  never('conflict', 'after', 'requests that create something do not conflict; a 409 of a provider is `upstream`'),
  early('too-large', 'the body is over `limits.body`', { options: { limits: { body: 10 } } }),
  never('too-large', 'after', `${CHECKED}; a 413 of a provider is \`context-too-long\``),
  early('too-slow', 'the body does not arrive within `times.body`', {
    options: { times: { body: 60 } },
    isSilent: true,
  }),
  never('too-slow', 'after', CHECKED),
  early('over-limit', 'the body is over `limits.memory`', { options: { limits: { memory: 10 } } }),
  never('over-limit', 'after', CHECKED),
  early('over-budget', 'the worst-case cost is over the budget', { budget: 0.01 }),
  never('over-budget', 'after', 'each attempt is reserved before it is sent'),
  early('unavailable', 'the store of budgets does not answer', { options: { budgets: SILENT_BUDGETS } }),
  never('unavailable', 'after', 'each attempt is reserved before it is sent'),
  early('loop', 'the request came through more than 4 gateways', { headers: { 'headgate-hops': '9' } }),
  refused('loop', 508),
  early(
    'canceled',
    'the caller leaves while the credential is obtained',
    { provider: leased, leaves: true },
    { video: 'the task is created although the caller leaves' },
  ),
  late(
    'canceled',
    'the caller leaves, or cancels the background response',
    { upstream() {}, leaves: true },
    { video: 'the task is created although the caller leaves' },
  ),
  late(
    'canceled',
    'the caller leaves after content',
    { upstream: begun(() => {}), leaves: true, hasContent: true },
    streaming,
  ),
  early('internal', 'a price book throws', {
    options: {
      prices: {
        priceOf() {
          throw new TypeError('A bug.')
        },
      },
    },
  }),
  late(
    'internal',
    'an adapter throws while it reads the response',
    {
      provider: () => ({
        readError({ status }) {
          if (status < 400) return undefined
          throw new TypeError('A bug.')
        },
      }),
      upstream: (call) => call.answer(500, { error: { message: 'No.' } }),
    },
    { video: 'what an adapter throws is `upstream`' },
  ),
]

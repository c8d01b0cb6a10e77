import { type Consequence, type ErrorKind, FAILURES } from '../../packages/core/src/errors.ts'
import { code, table } from './markdown.ts'

/** What a kind means, and what whoever meets it does. */
const MEANINGS: Readonly<Record<ErrorKind, { readonly what: string; readonly advice: string }>> = {
  'invalid-request': {
    what: 'The request is wrong, by our reading or the upstream’s (400, 422), or expects what is not known (417).',
    advice: 'Change the field that the error names.',
  },
  'content-policy': { what: 'The upstream refuses the content of the request.', advice: 'Change the content.' },
  'context-too-long': {
    what: 'The model has no room for so much (also an upstream’s 413).',
    advice: 'Send less, or name a larger model.',
  },
  'unknown-model': {
    what: 'Nobody is known to have the model, or the upstream does not know it.',
    advice: '`GET /v1/models` lists what can be called.',
  },
  'our-credential': {
    what: 'The upstream refuses the gateway’s key (401, 403).',
    advice: 'The operator mends the provider’s key. Nothing in the request helps.',
  },
  'our-quota': { what: 'The gateway’s account at the upstream is used up (402).', advice: 'The operator pays.' },
  'rate-limited': { what: 'The upstream has had enough for now (429).', advice: 'Wait as long as `retry-after` says.' },
  overloaded: { what: 'The upstream has no capacity (503, 529).', advice: 'Try again later.' },
  upstream: {
    what: 'The upstream failed: 408, 409, 425, 5xx, refused, reset, not the expected content type, no usable body.',
    advice: 'Try again later; the message names the provider.',
  },
  timeout: {
    what: 'No first byte in time, or the whole request took too long.',
    advice: 'Raise `times`, or ask for less.',
  },
  cut: {
    what: 'The answer broke off after it had begun.',
    advice: 'What has arrived is whole up to there. Ask again if you need the rest.',
  },
  'bad-key': {
    what: 'No key, a malformed one, one with a typo, one that is unknown, expired or revoked.',
    advice: 'Send a valid key.',
  },
  forbidden: {
    what: 'The key may not use this model, provider, search, kind of request or field, or not from this address, or a browser calls.',
    advice: 'Use what the message names; call from a server.',
  },
  'not-found': {
    what: 'There is no such path, or no such model in the list.',
    advice: 'Check the base URL: `/openapi.json` lists the paths.',
  },
  'method-not-allowed': { what: 'The path exists, the method does not.', advice: 'Use one of the `allow` header.' },
  conflict: { what: 'What is asked for can not be done in this state.', advice: 'Wait until it has ended.' },
  'too-large': {
    what: 'The body is larger than `limits.body`, or the headers than 16 KB (431).',
    advice: 'Send less, or raise the limit.',
  },
  'too-slow': {
    what: 'The request was silent for `times.header` or `times.body`, or its body took longer than `times.upload`.',
    advice: 'Send it without pauses, or raise the time.',
  },
  'over-limit': {
    what: 'The key, its project or the model is over a [rate limit](rate-limits.md), or the gateway has no [memory](operations.md#memory) left.',
    advice: 'Wait as long as `retry-after` says; without one, send less.',
  },
  'over-budget': {
    what: 'What the request may cost is more than a budget has left, or nobody knows what it may cost.',
    advice: 'With `retry-after`: wait so long. Without: what the message says.',
  },
  unavailable: {
    what: 'The gateway’s store does not answer, and the key, its budgets or the task state are not in memory.',
    advice: 'Wait as long as `retry-after` says. SDKs do so by themselves.',
  },
  loop: {
    what: 'The request came through more than 4 gateways: one of them leads back to another (also an upstream’s 508).',
    advice: 'The operator mends the base URL that leads back.',
  },
  canceled: { what: 'The caller left.', advice: 'Nobody is told. The log and the usage row have 499.' },
  internal: { what: 'A bug of the gateway.', advice: 'Report it, with the request id and the stack that the log has.' },
}

/** What happens after each kind of failure, as the code reads it. */
export function failuresTable(): string {
  const rows = Object.entries(FAILURES).map(([kind, consequence]) => rowOf(kind as ErrorKind, consequence))
  return table(['kind', 'what happened', 'same again', 'next candidate', 'status', 'what to do'], rows)
}

function rowOf(kind: ErrorKind, { again, next, status }: Consequence): string[] {
  const { what, advice } = MEANINGS[kind]
  return [code(kind), what, yesNo(again), next === 'once' ? 'once' : yesNo(next), String(status), advice]
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

import { type Consequence, type ErrorKind, FAILURES } from '../../packages/core/src/errors.ts'
import { code, table } from './markdown.ts'

/** Meaning of each kind, and what to do. */
const MEANINGS: Readonly<Record<ErrorKind, { readonly what: string; readonly advice: string }>> = {
  'invalid-request': {
    what: 'The gateway or the upstream (400, 422) rejects the request, or its `Expect` header is unknown (417).',
    advice: 'Change the field that the message names.',
  },
  'content-policy': { what: 'The upstream refuses the content of the request.', advice: 'Change the content.' },
  'context-too-long': {
    what: 'The input exceeds the model’s context (also a 413 of the upstream).',
    advice: 'Send less, or use a model with a larger context.',
  },
  'unknown-model': {
    what: 'No provider has the model, or the upstream does not know it.',
    advice: 'Choose a model from `GET /v1/models`.',
  },
  'our-credential': {
    what: 'The upstream rejects the gateway’s credential (401, 403).',
    advice: 'Contact the operator, who must fix the provider’s key. Changing the request does not help.',
  },
  'our-quota': {
    what: 'The quota of the gateway’s account is exhausted (402).',
    advice: 'Contact the operator, who must add credit.',
  },
  'rate-limited': { what: 'The upstream’s rate limit is reached (429).', advice: 'Wait for `retry-after`.' },
  overloaded: { what: 'The upstream has no capacity (503, 529).', advice: 'Try again later.' },
  upstream: {
    what: 'The upstream failed: 408, 409, 425, 5xx, refused, reset, not the expected content type, no usable body.',
    advice: 'Try again later; the message names the provider.',
  },
  timeout: {
    what: 'No first byte in time, or the whole request took too long.',
    advice: 'Raise `times`, or send a smaller request.',
  },
  cut: {
    what: 'The response broke off after its first content.',
    advice: 'The received part is valid. Send the request again if you need the rest.',
  },
  'bad-key': {
    what: 'The key is missing, malformed, mistyped, unknown, expired or revoked.',
    advice: 'Send a valid key.',
  },
  forbidden: {
    what: 'The key cannot use this model, provider, search, kind of request, field or address, or the request is from a browser.',
    advice: 'Use what the message allows; call from a server.',
  },
  'not-found': {
    what: 'The path does not exist, or the model is not in the list.',
    advice: 'Check the base URL. `/openapi.json` lists all paths.',
  },
  'method-not-allowed': {
    what: 'The path does not support the method.',
    advice: 'Use a method from the `allow` header.',
  },
  conflict: {
    what: 'The operation is not possible in this state, or the [`idempotency-key`](idempotency.md) belongs to another request.',
    advice: 'Wait until the operation in progress ends; send a new key.',
  },
  'too-large': {
    what: 'The body exceeds `limits.body`, or the headers exceed 16 KB (431).',
    advice: 'Send less, or raise the limit.',
  },
  'too-slow': {
    what: 'The request paused for `times.header` or `times.body`, or its body took longer than `times.upload`.',
    advice: 'Send it without pauses, or raise the limit.',
  },
  'over-limit': {
    what: 'The key, its project or the model is over a [rate limit](rate-limits.md), the gateway or each endpoint has [too much to do](overload.md), or no [memory](operations.md#memory) quota is left.',
    advice: 'Wait for `retry-after`; without it, send less.',
  },
  'over-budget': {
    what: 'The worst-case cost exceeds a budget, or is unknown.',
    advice: 'Wait for `retry-after`; without it, follow the message.',
  },
  unavailable: {
    what: 'The gateway’s store does not respond, and the key, its budgets or the task state are not in memory.',
    advice: 'Wait for `retry-after`, as SDKs do automatically.',
  },
  loop: {
    what: 'The request passed more than 4 gateways, so their base URLs form a loop (also a 508 of the upstream).',
    advice: 'Contact the operator, who must fix the base URLs.',
  },
  canceled: { what: 'The caller left.', advice: 'Nothing. The log and the usage row have the status 499.' },
  internal: { what: 'A bug of the gateway.', advice: 'Report it with the request id and the stack from the log.' },
}

/** Consequences of each kind of failure, from the table that the code uses. */
export function failuresTable(): string {
  const rows = Object.entries(FAILURES).map(([kind, consequence]) => rowOf(kind as ErrorKind, consequence))
  return table(['kind', 'cause', 'same again', 'next candidate', 'status', 'what to do'], rows)
}

function rowOf(kind: ErrorKind, { again, next, status }: Consequence): string[] {
  const { what, advice } = MEANINGS[kind]
  return [code(kind), what, yesNo(again), next === 'once' ? 'once' : yesNo(next), String(status), advice]
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

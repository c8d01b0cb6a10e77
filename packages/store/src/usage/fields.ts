import { type AttemptRow, outcomeOf, traceIdOf } from '@headgate/gateway/ports'
import { columnsOf, fieldOf, type RowFields } from './field.ts'
import * as kinds from './kinds.ts'
import type { LedgerRow } from './row.ts'

const own = fieldOf<LedgerRow>()
const call = fieldOf<AttemptRow>()

/**
 * Fields of a usage row, in the order of the columns of `usage` and of CSV exports. The table, stored values, rows that
 * are read, exports, the API schema and the documentation are derived from this list.
 */
export const USAGE_FIELDS = {
  at: own(kinds.TIME, (row) => row.startedAt, 'Start of the request.', 'time'),
  requestId: own(
    kinds.TEXT,
    (row) => row.requestId,
    'The `x-request-id` of the response; the `id` of the row if `why` is `lost`.',
  ),
  principal: own(kinds.TEXT, (row) => row.principal, 'Id of the key, never the key.', 'key'),
  family: own(
    kinds.TEXT,
    (row) => row.family,
    '`chat`, `embeddings`, `rerank`, `images`, `speech`, `transcription`, `moderations`, `search` or `video`.',
  ),
  format: own(kinds.TEXT, (row) => row.format, 'Format of the caller; `customsearch` for a search.'),
  model: own(kinds.TEXT, (row) => row.model, 'Model as the caller named it; for a search, its engine.'),
  provider: own(
    kinds.TEXT,
    (row) => row.provider,
    'Configured name of the provider that served the request, or failed last.',
  ),
  endpoint: own(
    kinds.MAYBE_TEXT,
    (row) => row.endpoint,
    'Endpoint of the provider; null if the provider has only one, or `why` is `lost`.',
  ),
  providerModel: own(
    kinds.TEXT,
    (row) => row.providerModel,
    'Model as the provider reported it; otherwise the provider’s name of the requested model.',
  ),
  policy: own(kinds.MAYBE_TEXT, (row) => row.policy, 'Routing policy that ordered the endpoints.'),
  routing: own(
    kinds.ROUTING,
    (row) => row.routing,
    'Endpoints that were considered, best first, with the reason of each: `policy`, `considered`. Null if only one was. At most 16 endpoints and 4 KB.',
  ),
  status: own(
    kinds.STATUS,
    (row) => row.status,
    'HTTP status that the caller got; 499 = the caller left; 0 = unknown, and `why` is `lost`.',
  ),
  outcome: own(
    kinds.OUTCOME,
    (row) => outcomeOf(row),
    '`served`, `failed-over` (served after a failed call), `refused` (by the gateway, without a call), `cut`, `canceled` or `failed`.',
  ),
  why: own(kinds.TEXT, (row) => row.why, 'Reason why the row is billed, or not.'),
  failure: own(kinds.MAYBE_TEXT, (row) => row.failure, 'Kind of the failure.'),
  finish: own(kinds.MAYBE_TEXT, (row) => row.finish, 'Reason why the response ended.'),
  stream: own(kinds.FLAG, (row) => row.stream, 'Whether the response was streamed.'),
  translated: own(kinds.FLAG, (row) => row.translated, 'Whether the request was translated into another format.'),
  input: own(kinds.COUNT, ({ usage }) => usage?.input, 'All input tokens.'),
  output: own(kinds.COUNT, ({ usage }) => usage?.output, 'All output tokens.'),
  cacheRead: own(kinds.COUNT, ({ usage }) => usage?.cacheRead, 'Part of `input` that was read from a cache.'),
  cacheWrite: own(kinds.COUNT, ({ usage }) => usage?.cacheWrite, 'Part of `input` that was written to a cache.'),
  cacheWriteLong: own(
    kinds.COUNT,
    ({ usage }) => usage?.cacheWriteLong,
    'Part of `cacheWrite` that is cached for one hour.',
  ),
  reasoning: own(kinds.COUNT, ({ usage }) => usage?.reasoning, 'Part of `output` that was reasoning.'),
  audioInput: own(kinds.COUNT, ({ usage }) => usage?.audioInput, 'Part of `input` that was audio.'),
  audioOutput: own(kinds.COUNT, ({ usage }) => usage?.audioOutput, 'Part of `output` that was audio.'),
  imageInput: own(kinds.COUNT, ({ usage }) => usage?.imageInput, 'Part of `input` that was images.'),
  imageOutput: own(kinds.COUNT, ({ usage }) => usage?.imageOutput, 'Part of `output` that was images.'),
  units: own(
    kinds.UNIT_COUNTS,
    ({ usage }) => usage?.units,
    'Counts of units other than tokens, by unit name: `{"searches":1}`.',
  ),
  variant: own(
    kinds.MAYBE_TEXT,
    ({ usage }) => usage?.variant,
    'Variant of the response, if prices of units depend on it, such as `high:1536x1024`; null = unknown or none.',
  ),
  estimated: own(
    kinds.FLAG,
    (row) => row.estimated,
    'Whether some counts are estimates, since the response broke off before the upstream reported them.',
  ),
  cost: own(kinds.MONEY, (row) => row.cost, 'Cost of all attempts at their upstreams.'),
  charged: own(
    kinds.MONEY,
    (row) => row.charged,
    'Amount that counts for the caller: 0 for failed requests, and for empty or cached searches.',
  ),
  held: own(kinds.MONEY, (row) => row.held, 'Held amount for calls of unknown cost; negative in a correction.'),
  priceId: own(kinds.MAYBE_TEXT, (row) => row.priceId, 'Source and date of the price that was applied.'),
  billed: own(kinds.FLAG, (row) => row.billed, 'Whether the row counts as spent.'),
  losses: own(
    kinds.LOSSES,
    (row) => row.losses,
    'Fields that translation dropped or changed: `path`, `kind`, `reason`. Paths of the response start with `response.`.',
  ),
  tags: own(kinds.TAGS, (row) => row.tags, 'Tags that the caller sent in `headgate-tags`: `{"team":"a"}`.'),
  endUser: own(kinds.MAYBE_TEXT, (row) => row.endUser, 'End user, as the caller claims.'),
  session: own(kinds.MAYBE_TEXT, (row) => row.session, 'Session of the client, as the caller claims.'),
  firstByteMs: own(
    kinds.MAYBE_DURATION,
    (row) => row.firstByteMs,
    'Milliseconds until the first byte of the response was sent.',
  ),
  durationMs: own(kinds.DURATION, (row) => row.durationMs, 'Milliseconds until the response ended.'),
  traceId: own(
    kinds.MAYBE_TEXT,
    (row) => row.trace && traceIdOf(row),
    'Trace of the request: 32 hexadecimal digits. Only if traces are exported.',
  ),
  corrects: own(kinds.MAYBE_UUID, (row) => row.corrects, '`id` of the row whose cost this row corrects.'),
  id: own(kinds.UUID, (row) => row.id, 'UUIDv7 of the row.'),
} as const satisfies RowFields<LedgerRow>

/** Fields of one upstream call, in the order of the columns of `usage_attempts`. */
export const ATTEMPT_FIELDS = {
  family: call(
    kinds.MAYBE_TEXT,
    (row) => row.family,
    'Family of the call, if the request has another one: `search` for a search of the gateway.',
  ),
  provider: call(kinds.TEXT, (row) => row.provider, 'Name of the called provider.'),
  endpoint: call(kinds.MAYBE_TEXT, (row) => row.endpoint, 'Called endpoint; null if the provider has only one.'),
  model: call(kinds.TEXT, (row) => row.model, 'Model name at the provider.'),
  startedAt: call(kinds.TIME, (row) => row.startedAt, 'Start of the call.'),
  durationMs: call(kinds.DURATION, (row) => row.durationMs, 'Milliseconds until the call ended.'),
  status: call(kinds.MAYBE_STATUS, (row) => row.status, 'HTTP status of the upstream; null = it did not answer.'),
  failure: call(kinds.MAYBE_TEXT, (row) => row.failure, 'Kind of the failure.'),
  code: call(
    kinds.MAYBE_TEXT,
    (row) => row.code,
    'Error code of the upstream or of the connection, at most 64 characters.',
  ),
  cost: call(kinds.MONEY, (row) => row.cost, 'Cost at the upstream; 0 if it rejected the call or was never reached.'),
  priceId: call(kinds.MAYBE_TEXT, (row) => row.priceId, 'Source and date of the price that was applied.'),
} as const satisfies RowFields<AttemptRow>

export const USAGE_COLUMNS = columnsOf(USAGE_FIELDS)
export const ATTEMPT_COLUMNS = columnsOf(ATTEMPT_FIELDS)

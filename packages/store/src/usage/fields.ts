import type { AttemptRow } from '@headgate/gateway/ports'
import { columnsOf, type Fields, fieldOf } from './field.ts'
import * as kinds from './kinds.ts'
import type { LedgerRow } from './row.ts'

const own = fieldOf<LedgerRow>()
const call = fieldOf<AttemptRow>()

/**
 * The fields of a usage row, in the order of the columns of `usage` and of comma-separated values. The table, the
 * values that are written, the rows that are read, exports, the schema of the API and the table of the documentation
 * follow from this list.
 */
export const USAGE_FIELDS = {
  at: own(kinds.TIME, (row) => row.startedAt, 'When the request began.', 'time'),
  requestId: own(
    kinds.TEXT,
    (row) => row.requestId,
    'The `x-request-id` of the response; the `id` of the row if `why` is `lost`.',
  ),
  principal: own(kinds.TEXT, (row) => row.principal, 'Id of the key, never the key.', 'key'),
  family: own(kinds.TEXT, (row) => row.family, '`chat`, `embeddings`, `rerank`, `search` or `video`.'),
  format: own(kinds.TEXT, (row) => row.format, 'Format of the caller; `customsearch` for a search.'),
  model: own(kinds.TEXT, (row) => row.model, 'Model as the caller named it; for a search, its engine.'),
  provider: own(
    kinds.TEXT,
    (row) => row.provider,
    'Name, in the configuration, of the provider that served or that failed last.',
  ),
  providerModel: own(
    kinds.TEXT,
    (row) => row.providerModel,
    'Model as the provider reported it; otherwise the provider’s name of the requested model.',
  ),
  status: own(
    kinds.STATUS,
    (row) => row.status,
    'HTTP status that the caller got; 499 = the caller left; 0 = unknown, and `why` is `lost`.',
  ),
  why: own(kinds.TEXT, (row) => row.why, 'Why it is billed, or why not.'),
  failure: own(kinds.MAYBE_TEXT, (row) => row.failure, 'Kind of the failure.'),
  finish: own(kinds.MAYBE_TEXT, (row) => row.finish, 'Why the answer ended.'),
  stream: own(kinds.FLAG, (row) => row.stream, 'Whether it was streamed.'),
  translated: own(kinds.FLAG, (row) => row.translated, 'Whether the provider speaks another format.'),
  input: own(kinds.COUNT, ({ usage }) => usage?.input, 'All input tokens.'),
  output: own(kinds.COUNT, ({ usage }) => usage?.output, 'All output tokens.'),
  cacheRead: own(kinds.COUNT, ({ usage }) => usage?.cacheRead, 'Part of `input` that was read from a cache.'),
  cacheWrite: own(kinds.COUNT, ({ usage }) => usage?.cacheWrite, 'Part of `input` that was written to a cache.'),
  cacheWriteLong: own(
    kinds.COUNT,
    ({ usage }) => usage?.cacheWriteLong,
    'Part of the tokens written to a cache that stays there for an hour.',
  ),
  reasoning: own(kinds.COUNT, ({ usage }) => usage?.reasoning, 'Part of `output` that was reasoning.'),
  audioInput: own(kinds.COUNT, ({ usage }) => usage?.audioInput, 'Part of `input` that was audio.'),
  audioOutput: own(kinds.COUNT, ({ usage }) => usage?.audioOutput, 'Part of `output` that was audio.'),
  units: own(
    kinds.UNIT_COUNTS,
    ({ usage }) => usage?.units,
    'Counts of what is not tokens, by the name of the unit: `{"searches":1}`.',
  ),
  estimated: own(
    kinds.FLAG,
    (row) => row.estimated,
    'Whether some of the counts are estimates: the response broke off before its upstream had reported them.',
  ),
  cost: own(kinds.MONEY, (row) => row.cost, 'What upstreams charge for all attempts.'),
  charged: own(
    kinds.MONEY,
    (row) => row.charged,
    'What counts for the caller: 0 for a request that failed, and for a search that was empty or cached.',
  ),
  held: own(
    kinds.MONEY,
    (row) => row.held,
    'What budgets hold for calls whose cost is unknown; negative in a correction.',
  ),
  priceId: own(kinds.MAYBE_TEXT, (row) => row.priceId, 'Source and date of the price that was applied.'),
  billed: own(kinds.FLAG, (row) => row.billed, 'Whether it counts as spent.'),
  losses: own(
    kinds.LOSSES,
    (row) => row.losses,
    'What translation dropped or changed: `path`, `kind`, `reason`; paths of the response start with `response.`.',
  ),
  tags: own(kinds.TAGS, (row) => row.tags, 'What the caller said in `headgate-tags`: `{"team":"a"}`.'),
  firstByteMs: own(
    kinds.MAYBE_DURATION,
    (row) => row.firstByteMs,
    'Milliseconds until the first byte of the response went out.',
  ),
  durationMs: own(kinds.DURATION, (row) => row.durationMs, 'Milliseconds until the response ended.'),
  corrects: own(kinds.MAYBE_UUID, (row) => row.corrects, '`id` of the row whose cost this row corrects.'),
  id: own(kinds.UUID, (row) => row.id, 'UUIDv7 of the row.'),
} as const satisfies Fields<LedgerRow>

/** The fields of one call of an upstream, in the order of the columns of `usage_attempts`. */
export const ATTEMPT_FIELDS = {
  provider: call(kinds.TEXT, (row) => row.provider, 'Name of the provider that was asked.'),
  model: call(kinds.TEXT, (row) => row.model, 'The provider’s own name of the model.'),
  startedAt: call(kinds.TIME, (row) => row.startedAt, 'When the call began.'),
  durationMs: call(kinds.DURATION, (row) => row.durationMs, 'Milliseconds until the call ended.'),
  status: call(kinds.MAYBE_STATUS, (row) => row.status, 'HTTP status of the upstream; null = it did not answer.'),
  failure: call(kinds.MAYBE_TEXT, (row) => row.failure, 'Kind of the failure.'),
  cost: call(
    kinds.MONEY,
    (row) => row.cost,
    'What the upstream charges for it; 0 if the upstream refused or was never reached.',
  ),
  priceId: call(kinds.MAYBE_TEXT, (row) => row.priceId, 'Source and date of the price that was applied.'),
} as const satisfies Fields<AttemptRow>

export const USAGE_COLUMNS = columnsOf(USAGE_FIELDS)
export const ATTEMPT_COLUMNS = columnsOf(ATTEMPT_FIELDS)

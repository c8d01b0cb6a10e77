import { isCount } from '@headgate/core/canonical'
import { since } from '../clock.ts'
import type { Tags } from '../edge/tags.ts'
import { type Principal, recordable, type UsageRow } from '../ports/ledger.ts'
import { uuidv7 } from '../uuid.ts'
import { type NotedAttempt, sumOf } from './charge.ts'

/** Keeps rows. */
export interface Settling {
  /**
   * Settles a row; a ledger that fails is a warning, never the caller's problem. Undefined when there is nothing to
   * wait for.
   */
  settle(row: UsageRow): Promise<void> | undefined
}

/** The part of a request that its row is made of. */
export interface Accounted {
  readonly id: string
  readonly principal: Principal
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** The same moment by the clock of {@link now}, from which durations and deadlines count. */
  readonly begunAt: number
  /** The caller's own words about the request. */
  readonly tags: Tags | undefined
  /** When the first byte of the answer went out, by the clock of {@link now}. */
  firstByteAt: number | undefined
  /** The caller has left. */
  gone: boolean
  readonly attempts: NotedAttempt[]
  /** Id that the row will have, once something needs it. */
  rowId: string | undefined
  /** The row of the request, once it is settled. */
  row: UsageRow | undefined
}

/** Whether a request is billed, and why. */
export type Billing = Pick<UsageRow, 'billed' | 'why'>

/** What is the context's to say. */
type OfContext =
  | 'id'
  | 'requestId'
  | 'principal'
  | 'tags'
  | 'startedAt'
  | 'firstByteMs'
  | 'durationMs'
  | 'attempts'
  | 'cost'
  | 'charged'
  | 'priceId'

/**
 * What a family knows of a request that reached a provider; the rest is the context's. Its attempts know already what
 * they cost.
 */
export interface RowFacts extends Omit<UsageRow, OfContext | keyof Billing> {
  /** Index of the first attempt of those that made what the caller got; undefined = nothing was served. */
  readonly servedFrom: number | undefined
  /** What follows from what counts for the caller, null where that is not known. */
  billing(charged: number | null): Billing
}

/** Whose row it is, and what has become of it so far. */
export interface RowOrigin
  extends Pick<UsageRow, 'id' | 'requestId' | 'principal' | 'tags' | 'startedAt' | 'firstByteMs' | 'durationMs'> {
  readonly attempts: readonly NotedAttempt[]
  /** The caller has left. */
  readonly gone: boolean
}

/**
 * What was served counts, and a failure does not. Who left before an answer came may have cost something all the same.
 */
function chargedOf({ attempts, gone }: RowOrigin, { servedFrom }: RowFacts): number | null {
  if (servedFrom !== undefined) return sumOf(attempts, servedFrom)
  return gone && sumOf(attempts, 0) === null ? null : 0
}

/** The one maker of usage rows, all of one shape. */
export function makeRow(origin: RowOrigin, facts: RowFacts): UsageRow {
  const { attempts } = origin
  const charged = chargedOf(origin, facts)
  const { billed, why } = facts.billing(isCount(charged) ? charged : null)
  return recordable({
    id: origin.id,
    requestId: origin.requestId,
    principal: origin.principal,
    tags: origin.tags,
    family: facts.family,
    format: facts.format,
    model: facts.model,
    provider: facts.provider,
    providerModel: facts.providerModel,
    stream: facts.stream,
    translated: facts.translated,
    status: facts.status,
    usage: facts.usage,
    estimated: facts.estimated,
    cost: sumOf(attempts, 0),
    charged,
    priceId: attempts.at(-1)?.priceId ?? null,
    billed,
    why,
    finish: facts.finish,
    failure: facts.failure,
    losses: facts.losses,
    startedAt: origin.startedAt,
    firstByteMs: origin.firstByteMs,
    durationMs: origin.durationMs,
    attempts,
  })
}

/**
 * Accounts for a request that reached a provider: once, whatever happens afterwards.
 * @returns what the end of the answer has to wait for; undefined when nothing.
 */
export function settleRow(core: Settling, context: Accounted, facts: RowFacts): Promise<void> | undefined {
  if (context.row) return undefined
  const origin: RowOrigin = {
    id: context.rowId ?? uuidv7(),
    requestId: context.id,
    principal: context.principal.id,
    tags: context.tags,
    startedAt: context.startedAt,
    firstByteMs: context.firstByteAt === undefined ? undefined : Math.round(context.firstByteAt - context.begunAt),
    durationMs: since(context.begunAt),
    attempts: context.attempts,
    gone: context.gone,
  }
  context.row = makeRow(origin, facts)
  return core.settle(context.row)
}

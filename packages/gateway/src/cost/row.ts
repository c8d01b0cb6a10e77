import { isCount } from '@headgate/core/canonical'
import { since } from '../clock.ts'
import type { UsageTags } from '../edge/tags.ts'
import { type Principal, recordable, type UsageRow } from '../ports/ledger.ts'
import type { RoutingDecision } from '../ports/routing.ts'
import { uuidv7 } from '../uuid.ts'
import { type RecordedAttempt, sumOf } from './charge.ts'

/** Writer of usage rows. */
export interface RowSettler {
  /**
   * Settles a row. A failure of the ledger is a warning to the operator and never fails the request. Undefined if there
   * is nothing to wait for.
   */
  settle(row: UsageRow): Promise<void> | undefined
}

/** Part of a request that its usage row is built from. */
export interface AccountedRequest {
  readonly id: string
  readonly principal: Principal
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** `startedAt` by the clock of {@link now}, which durations and deadlines use. */
  readonly begunAt: number
  /** Tags that the caller sent with the request. */
  readonly tags: UsageTags | undefined
  /** End user and session, as the caller claims. */
  endUser: string | undefined
  session: string | undefined
  /** Time of the first byte of the response, by the clock of {@link now}. */
  firstByteAt: number | undefined
  /** The caller has left. */
  gone: boolean
  readonly attempts: RecordedAttempt[]
  /** Routing decision; undefined for families without providers. */
  decision: RoutingDecision | undefined
  /** Records of attempts that ran at the same time, in the order of their start; undefined = one after another. */
  rivals: { readonly rows: readonly RecordedAttempt[] } | undefined
  /** Id of the usage row, set as soon as something needs it. */
  rowId: string | undefined
  /** Usage row of the request, once it is settled. */
  row: UsageRow | undefined
}

/** Billing status of a request, and the reason. */
export type Billing = Pick<UsageRow, 'billed' | 'why'>

/** Owner, timing and routing of a request. */
type OriginField =
  | 'id'
  | 'requestId'
  | 'principal'
  | 'tags'
  | 'endUser'
  | 'session'
  | 'startedAt'
  | 'firstByteMs'
  | 'durationMs'
  | 'policy'
  | 'routing'

/** Fields of a usage row that the request's context supplies. */
type ContextField = OriginField | 'attempts' | 'cost' | 'charged' | 'priceId' | 'endpoint'

/** Fields of a usage row that the family supplies. The costs of the attempts must be set already. */
export interface RowFacts extends Omit<UsageRow, ContextField | keyof Billing> {
  /** Index of the first attempt that contributed to the response; undefined = no response was served. */
  readonly servedFrom: number | undefined
  /** Billing of the request. `charged` is the charged cost, null if it is unknown. */
  billing(charged: number | null): Billing
}

/** Owner and timing of a usage row. */
export interface RowOrigin extends Pick<UsageRow, OriginField> {
  readonly attempts: readonly RecordedAttempt[]
  /** Order of the attempts in the row; undefined = their order. */
  readonly inOrder: readonly RecordedAttempt[] | undefined
  /** The caller has left. */
  readonly gone: boolean
}

/**
 * Charges what was served; failed requests are free. If the caller left before a response, the request may have cost
 * something: then the charge is unknown.
 */
function chargedOf({ attempts, gone }: RowOrigin, { servedFrom }: RowFacts): number | null {
  if (servedFrom !== undefined) return sumOf(attempts, servedFrom)
  return gone && sumOf(attempts, 0) === null ? null : 0
}

/** Builds a usage row. All rows are built here, so that they have the same shape. */
export function makeRow(origin: RowOrigin, facts: RowFacts): UsageRow {
  const { attempts } = origin
  const charged = chargedOf(origin, facts)
  const { billed, why } = facts.billing(isCount(charged) ? charged : null)
  return recordable({
    id: origin.id,
    requestId: origin.requestId,
    principal: origin.principal,
    tags: origin.tags,
    endUser: origin.endUser,
    session: origin.session,
    family: facts.family,
    format: facts.format,
    model: facts.model,
    provider: facts.provider,
    endpoint: attempts.at(-1)?.endpoint,
    policy: origin.policy,
    routing: origin.routing,
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
    attempts: origin.inOrder ?? attempts,
  })
}

/** Attempts in the order of their start, and of their reservations. */
function inOrderOfStart(attempts: readonly RecordedAttempt[], rows: readonly RecordedAttempt[]): RecordedAttempt[] {
  const started = rows.filter((row) => attempts.includes(row))
  return [...started, ...attempts.filter((row) => !started.includes(row))]
}

/**
 * Settles a request that reached a provider. Further calls do nothing.
 * @returns what the end of the response must wait for; undefined = nothing.
 */
export function settleRow(core: RowSettler, context: AccountedRequest, facts: RowFacts): Promise<void> | undefined {
  if (context.row) return undefined
  const origin: RowOrigin = {
    id: context.rowId ?? uuidv7(),
    requestId: context.id,
    principal: context.principal.id,
    tags: context.tags,
    endUser: context.endUser,
    session: context.session,
    startedAt: context.startedAt,
    firstByteMs: context.firstByteAt === undefined ? undefined : Math.round(context.firstByteAt - context.begunAt),
    durationMs: since(context.begunAt),
    attempts: context.attempts,
    inOrder: context.rivals && inOrderOfStart(context.attempts, context.rivals.rows),
    gone: context.gone,
    policy: context.decision?.policy,
    routing: context.decision && context.decision.considered.length > 1 ? context.decision : undefined,
  }
  context.row = makeRow(origin, facts)
  return core.settle(context.row)
}

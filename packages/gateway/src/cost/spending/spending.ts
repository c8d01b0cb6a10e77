import type { Price } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { offStop, onStop, type Stoppable } from '../../edge/stop.ts'
import type { BudgetRefusal, Budgets } from '../../ports/budgets.ts'
import type { SpendingOptions } from '../../ports/gateway-options.ts'
import type { RefusingLimit } from '../../ports/refusals.ts'
import { uuidv7 } from '../../uuid.ts'
import { mostOf, type UsageBound } from '../bound.ts'
import { unsentAttempt } from '../charge.ts'
import { type AccountedRequest, type RowSettler, settleRow } from '../row.ts'
import { budgetsUnreachable, type RefusedCall, refusalError } from './refusal.ts'

/** Maximum time to wait for budgets, in milliseconds. */
const MAX_WAIT_MS = 10_000

/** Reservation of a request. It must be settled or released. */
export interface RequestReservation {
  /** Ends the request: nothing more is sent for it. Never throws. */
  end(): void
}

/** Part of a request that spends. */
export interface Spender extends AccountedRequest, Stoppable {
  /** Set if budgets limit the request's cost. */
  holding: RequestReservation | undefined
  /** Budget or rate limit that refused the request, or one of its calls. */
  refusedBy: RefusingLimit | undefined
  /** Status of the response, once its head is sent. */
  status: number | undefined
}

/** Spending limits of all requests. */
export interface Spendable extends RowSettler {
  /** Undefined = no limits. */
  readonly budgets: Budgets | undefined
  readonly spending: Required<SpendingOptions>
  /** Warns the operator. */
  warn(message: string): void
}

/** Upstream call that is about to be sent. */
export interface CallCost extends RefusedCall {
  readonly provider: string
  /** Empty if the provider has only one endpoint. */
  readonly endpoint: string
  readonly providerModel: string
  readonly priceId: string | null
}

/** A request's spending from budgets. */
export interface Spending {
  /**
   * Reserves the worst-case cost of a call. Call it before each upstream call, in the order in which attempts are
   * recorded. Reservations of concurrent calls are queued.
   * @returns the refusal; undefined = the call is allowed.
   * @throws HeadgateError if the caller has left, the deadline has passed, or the budgets cannot be reached.
   */
  ask(expense: CallCost): Promise<BudgetRefusal | undefined>
  /** Reserves like `ask`. Rejects with HeadgateError if the call is not allowed. */
  reserve(expense: CallCost): Promise<void>
  /** Releases the whole reservation. Use it only if no call was sent. */
  release(): void
  /** Leaves the row to be settled later by other code. */
  handOver(): void
}

/** Owner and purpose of spending. */
export interface SpendingPurpose {
  /** Id of the family. */
  readonly family: string
  readonly format: string
  /** As the caller named it. */
  readonly model: string
  /** Start of the request or task, Unix time in milliseconds; default: start of the request. */
  readonly at?: number
}

/** Model at an endpoint, whose call costs. An empty `endpoint` means that the provider has only one. */
export interface CostSubject {
  readonly provider: string
  readonly endpoint: string
  readonly model: string
}

/** Worst-case cost of one call of a model. `more`: what the caller can do if the usage is unlimited. */
export function callCostOf(
  subject: CostSubject,
  price: Price | undefined,
  bound: UsageBound | undefined,
  more = '',
): CallCost {
  const { provider, endpoint, model } = subject
  const unknown = price
    ? `Its maximum usage is unknown. ${more}`.trimEnd()
    : `${provider}/${model} has no price. The operator can add one to prices, or allow unknown prices.`
  return { provider, endpoint, providerModel: model, priceId: price?.id ?? null, bound: mostOf(bound, price), unknown }
}

/**
 * Spending of the request; undefined if no budget applies to its principal. At the end of the request, the reservation
 * is settled or released.
 */
export function spendingOf(core: Spendable, context: Spender, purpose: SpendingPurpose): Spending | undefined {
  const { budgets } = core
  return budgets?.bounds(context.principal) ? createSpending(core, budgets, context, purpose) : undefined
}

/** Resolves with the value of `answer`, or with undefined after a timeout or if the request is stopped. */
function resultUnlessStopped<T>(context: Spender, answer: Promise<T>): Promise<{ readonly value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      clearTimeout(timer)
      offStop(context, giveUp)
    }
    const giveUp = (): void => {
      over()
      resolve(undefined)
    }
    const timer = setTimeout(giveUp, MAX_WAIT_MS)
    onStop(context, giveUp)
    answer.then(
      (value) => {
        over()
        resolve({ value })
      },
      (error: unknown) => {
        over()
        reject(error)
      },
    )
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Reservations of a request so far. */
interface ReservationState extends SpendingPurpose {
  readonly core: Spendable
  readonly budgets: Budgets
  readonly context: Spender
  /** Id of the usage row. */
  readonly id: string
  isAsked: boolean
  isOver: boolean
  isHandedOver: boolean
  /** The previous reservation, while it is pending. */
  turn: Promise<unknown> | undefined
}

/**
 * Waits for a reservation. If it succeeds after the wait has ended, the row that is still to be written settles it;
 * otherwise it is released.
 */
async function reservationResult(
  reserving: ReservationState,
  asked: Promise<BudgetRefusal | undefined>,
): Promise<BudgetRefusal | undefined> {
  const { context, budgets, id } = reserving
  const came = await resultUnlessStopped(context, asked)
  if (came) return came.value
  const late = (refusal: BudgetRefusal | undefined): void => {
    if (!refusal && !reserving.isHandedOver && (reserving.isOver || context.row)) budgets.release(id)
  }
  asked.then(late, () => {})
  throw context.stopped ?? budgetsUnreachable()
}

/** Adds a call to the attempts that was reserved but not sent, so that indexes of attempts and reservations match. */
function addUnsent({ attempts }: Spender, expense: CallCost, { kind }: HeadgateError): void {
  if (attempts.length === 0) return
  attempts.push(unsentAttempt(expense.provider, expense.endpoint, expense.providerModel, kind))
}

async function reserveCall(reserving: ReservationState, expense: CallCost): Promise<BudgetRefusal | undefined> {
  const { core, budgets, context, id, family, format, model, at = context.startedAt } = reserving
  if (expense.bound === null && core.spending.unknownPrice === 'allow') return undefined
  if (context.stopped) throw context.stopped
  reserving.isAsked = true
  const { provider, endpoint, providerModel, priceId, bound } = expense
  const { principal, tags } = context
  let refusal: BudgetRefusal | undefined
  try {
    const call = { provider, endpoint: endpoint || undefined, providerModel, priceId, bound }
    const asked = budgets.reserve({ id, principal, at, family, format, model, tags, ...call })
    refusal = asked instanceof Promise ? await reservationResult(reserving, asked) : asked
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    core.warn(`Budgets could not be checked: ${messageOf(error)}`)
    throw budgetsUnreachable()
  }
  if (refusal) {
    const { id: budget, name } = refusal.budget
    context.refusedBy = { kind: 'budget', id: budget ?? name }
  }
  if (refusal || !context.stopped) return refusal
  addUnsent(context, expense, context.stopped)
  throw context.stopped
}

/** Reserves after all previous reservations are complete. */
function reserveInTurn(reserving: ReservationState, expense: CallCost): Promise<BudgetRefusal | undefined> {
  const { turn } = reserving
  const mine = turn ? turn.then(() => reserveCall(reserving, expense)) : reserveCall(reserving, expense)
  const over = (): void => {
    if (reserving.turn === next) reserving.turn = undefined
  }
  const next = mine.then(over, over)
  reserving.turn = next
  return mine
}

/** Settles a request that failed unexpectedly: calls that were sent may be billed. */
function settleRest({ core, budgets, context, id, family, format, model }: ReservationState): void {
  const last = context.attempts.at(-1)
  if (!last) {
    budgets.release(id)
    return
  }
  void settleRow(core, context, {
    family,
    format,
    model,
    provider: last.provider,
    providerModel: last.model,
    stream: false,
    translated: true,
    status: context.status ?? 500,
    usage: undefined,
    estimated: undefined,
    servedFrom: undefined,
    billing: () => ({ billed: false, why: 'failed' }),
    finish: undefined,
    failure: 'internal',
    losses: [],
  })
}

function createSpending(core: Spendable, budgets: Budgets, context: Spender, purpose: SpendingPurpose): Spending {
  const id = context.rowId ?? uuidv7()
  context.rowId = id
  const flags = { isAsked: false, isOver: false, isHandedOver: false, turn: undefined }
  const reserving: ReservationState = { ...purpose, ...flags, core, budgets, context, id }
  context.holding = {
    end() {
      reserving.isOver = true
      if (!reserving.isAsked || context.row || reserving.isHandedOver) return
      try {
        settleRest(reserving)
      } catch (error) {
        core.warn(`The reservation of a request could not be released: ${messageOf(error)}`)
      }
    },
  }
  return {
    ask: (expense) => reserveInTurn(reserving, expense),
    async reserve(expense) {
      const refusal = await reserveInTurn(reserving, expense)
      if (refusal) throw refusalError(refusal, expense)
    },
    release: () => budgets.release(id),
    handOver() {
      reserving.isHandedOver = true
    },
  }
}

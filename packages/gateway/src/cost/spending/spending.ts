import type { Price } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { offStop, onStop, type Stoppable } from '../../edge/stop.ts'
import type { BudgetRefusal, Budgets } from '../../ports/budgets.ts'
import type { SpendingOptions } from '../../ports/gateway-options.ts'
import { uuidv7 } from '../../uuid.ts'
import { type Bound, mostOf } from '../bound.ts'
import { type Accounted, type Settling, settleRow } from '../row.ts'
import { awayError, type Refused, refusalError } from './refusal.ts'

/** How long budgets may take to answer, in milliseconds. */
const PATIENCE = 10_000

/** What is reserved for a request, and must be accounted for or given back. */
export interface Holding {
  /** The request is over: nothing more is sent for it. Never throws. */
  end(): void
}

/** The part of a request that spends. */
export interface Spender extends Accounted, Stoppable {
  /** Set where budgets bound what it may cost. */
  holding: Holding | undefined
  /** Status of the answer, once it has a head. */
  status: number | undefined
}

/** What bounds the spending of all requests. */
export interface Spendable extends Settling {
  /** Undefined = nothing is bounded. */
  readonly budgets: Budgets | undefined
  readonly spending: Required<SpendingOptions>
  /** Warns the operator. */
  warn(message: string): void
}

/** One call of an upstream that is about to be made. */
export interface Expense extends Refused {
  readonly provider: string
  readonly providerModel: string
  readonly priceId: string | null
}

/** What a request spends of budgets. */
export interface Spending {
  /**
   * Reserves what a call may cost: to be asked before each one, in the order in which they are noted. Calls that run
   * beside each other are reserved one after the other. @returns the refusal; undefined = the call may be made.
   * @throws HeadgateError where the caller has left meanwhile, the deadline has passed, or nobody can be asked.
   */
  ask(expense: Expense): Promise<BudgetRefusal | undefined>
  /** The same. Rejects with HeadgateError where the call may not be made. */
  reserve(expense: Expense): Promise<void>
  /** Gives all of it back: no call was made. */
  release(): void
  /** Somebody else settles the row, later. */
  handOver(): void
}

/** Whose spending it is, and what for. */
export interface Purpose {
  /** Id of the family. */
  readonly family: string
  readonly format: string
  /** As the caller named it. */
  readonly model: string
  /** When what is asked for began, Unix time in milliseconds; default the request. */
  readonly at?: number
}

/** What a call of a model may cost. `more`: what to do where nobody knows how much it will use. */
export function expenseOf(
  subject: { provider: string; model: string },
  price: Price | undefined,
  bound: Bound | undefined,
  more = '',
): Expense {
  const { provider, model } = subject
  const unknown = price
    ? `How much it may use is not known. ${more}`.trimEnd()
    : `No price of ${provider}/${model} is known: the operator can name one in prices, or allow what is not known.`
  return { provider, providerModel: model, priceId: price?.id ?? null, bound: mostOf(bound, price), unknown }
}

/**
 * What the request spends; undefined where no budget bounds its principal. What is held is accounted for, or given
 * back, at its end.
 */
export function spendingOf(core: Spendable, context: Spender, purpose: Purpose): Spending | undefined {
  const { budgets } = core
  return budgets?.bounds(context.principal) ? createSpending(core, budgets, context, purpose) : undefined
}

/** Resolves with what is answered, or undefined where that is not waited for any longer. */
function answered<T>(context: Spender, answer: Promise<T>): Promise<{ readonly value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      clearTimeout(timer)
      offStop(context, giveUp)
    }
    const giveUp = (): void => {
      over()
      resolve(undefined)
    }
    const timer = setTimeout(giveUp, PATIENCE)
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

/** What a request has reserved so far. */
interface Reserving extends Purpose {
  readonly core: Spendable
  readonly budgets: Budgets
  readonly context: Spender
  /** Id of the row that accounts for it. */
  readonly id: string
  isAsked: boolean
  isOver: boolean
  isHandedOver: boolean
  /** The reservation before, while it is not answered. */
  turn: Promise<unknown> | undefined
}

/**
 * Waits for the answer to a reservation. One that comes after nobody waits for it any longer is settled by the row that
 * is still to come, or given back.
 */
async function waited(
  reserving: Reserving,
  asked: Promise<BudgetRefusal | undefined>,
): Promise<BudgetRefusal | undefined> {
  const { context, budgets, id } = reserving
  const came = await answered(context, asked)
  if (came) return came.value
  const late = (refusal: BudgetRefusal | undefined): void => {
    if (!refusal && !reserving.isHandedOver && (reserving.isOver || context.row)) budgets.release(id)
  }
  asked.then(late, () => {})
  throw context.stopped ?? awayError()
}

/** Adds a call that was reserved for and is not made to the attempts, where it has its place. */
function addUnmade({ attempts }: Spender, { provider, providerModel }: Expense, { kind }: HeadgateError): void {
  if (attempts.length === 0) return
  attempts.push({
    provider,
    model: providerModel,
    startedAt: Date.now(),
    durationMs: 0,
    status: undefined,
    failure: kind,
    cost: 0,
    priceId: null,
  })
}

async function reserveCall(reserving: Reserving, expense: Expense): Promise<BudgetRefusal | undefined> {
  const { core, budgets, context, id, family, format, model, at = context.startedAt } = reserving
  if (expense.bound === null && core.spending.unknownPrice === 'allow') return undefined
  if (context.stopped) throw context.stopped
  reserving.isAsked = true
  const { provider, providerModel, priceId, bound } = expense
  const { principal, tags } = context
  let refusal: BudgetRefusal | undefined
  try {
    const call = { provider, providerModel, priceId, bound }
    const asked = budgets.reserve({ id, principal, at, family, format, model, tags, ...call })
    refusal = asked instanceof Promise ? await waited(reserving, asked) : asked
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    core.warn(`Budgets could not be asked: ${messageOf(error)}`)
    throw awayError()
  }
  if (refusal || !context.stopped) return refusal
  addUnmade(context, expense, context.stopped)
  throw context.stopped
}

/** Reserves after the reservations before have been answered. */
function reserveInTurn(reserving: Reserving, expense: Expense): Promise<BudgetRefusal | undefined> {
  const { turn } = reserving
  const mine = turn ? turn.then(() => reserveCall(reserving, expense)) : reserveCall(reserving, expense)
  const over = (): void => {
    if (reserving.turn === next) reserving.turn = undefined
  }
  const next = mine.then(over, over)
  reserving.turn = next
  return mine
}

/** Settles a request that failed unexpectedly: what was called may be charged. */
function settleRest({ core, budgets, context, id, family, format, model }: Reserving): void {
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

function createSpending(core: Spendable, budgets: Budgets, context: Spender, purpose: Purpose): Spending {
  const id = context.rowId ?? uuidv7()
  context.rowId = id
  const flags = { isAsked: false, isOver: false, isHandedOver: false, turn: undefined }
  const reserving: Reserving = { ...purpose, ...flags, core, budgets, context, id }
  context.holding = {
    end() {
      reserving.isOver = true
      if (!reserving.isAsked || context.row || reserving.isHandedOver) return
      try {
        settleRest(reserving)
      } catch (error) {
        core.warn(`What was reserved for a request could not be given back: ${messageOf(error)}`)
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

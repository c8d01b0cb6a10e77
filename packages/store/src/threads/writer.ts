import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { AnswerStore, Budget, ListStore, TaskStore } from '@headgate/gateway/ports'
import { createAnswerStore } from '../answers/answers.ts'
import { type BudgetAlerts, createAlerts } from '../budgets/alerts.ts'
import { configureBudgets, type NewBudget, removeBudget, setBudget } from '../budgets/defined.ts'
import { type DoubtEnd, endDoubt, type SilentLife, silentLives } from '../budgets/doubts.ts'
import { type HeldAmount, type Release, releaseHeld } from '../budgets/held.ts'
import type { LeaseAnswer, LeaseChange, LeaseKey, Pulse } from '../budgets/lease.ts'
import { changeLease } from '../budgets/leases.ts'
import { beat, closeLife } from '../budgets/lives.ts'
import { noteUsedUp } from '../budgets/spends.ts'
import { readSetting } from '../database/settings.ts'
import { transact } from '../database/transaction.ts'
import { changeKey, type KeyChange, type KeyVersion, type Rotation, revokeKey, rotateKey } from '../keys/change.ts'
import { createKey, type MadeKey, type NewKey } from '../keys/keys.ts'
import { type ConfiguredPrincipal, configurePrincipals } from '../keys/principals.ts'
import type { StoredKey } from '../keys/stored.ts'
import { createTakeOver } from '../ledger/over.ts'
import { type Position, type TakeParts, takeLife } from '../ledger/take.ts'
import { createListStore } from '../lists/model-lists.ts'
import type { PriceRow } from '../prices/row.ts'
import { addPrices } from '../prices/stored.ts'
import { type Retention, retain } from '../retention/retention.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { createTraces, type Traces } from '../traces/traces.ts'
import { moveDays } from '../usage/move-days.ts'
import { forgetTaken } from '../usage/write.ts'

/** What the main thread may have written. */
export type WriterCalls = {
  /**
   * Takes this process's journal into the store, and now and then those of lives that are over. Resolves with whether
   * time was over before their end: ask again.
   */
  take(upTo: Position): Promise<boolean>
  /** Takes in those of lives that are over, now. */
  takeOver(): Promise<void>
  changeLease(key: LeaseKey, change: LeaseChange): Promise<LeaseAnswer>
  beat(): Promise<Pulse>
  usedUp(window: { readonly budget: string; readonly win: string }): Promise<void>
  setBudget(budget: NewBudget): Promise<Budget>
  removeBudget(id: string): Promise<boolean>
  configureBudgets(budgets: readonly Budget[]): Promise<void>
  silentLives(): Promise<readonly SilentLife[]>
  endDoubt(life: string, how: DoubtEnd): Promise<boolean>
  releaseHeld(release: Release): Promise<HeldAmount | undefined>
  takeAlerts: BudgetAlerts['take']
  alertDone: BudgetAlerts['done']
  dropAlert: BudgetAlerts['drop']
  alertLater: BudgetAlerts['later']
  /** Forgets how far this process's journal is taken, which is about to go, and ends its leases. */
  forget(): Promise<void>
  createKey(key: NewKey): Promise<MadeKey>
  changeKey(id: string, change: KeyChange, version?: KeyVersion): Promise<StoredKey | undefined>
  rotateKey(id: string, rotation: Rotation): Promise<MadeKey | undefined>
  configurePrincipals(principals: readonly ConfiguredPrincipal[]): Promise<void>
  revokeKey(idOrName: string): Promise<StoredKey | undefined>
  writeList: ListStore['write']
  addPrices(rows: readonly PriceRow[]): Promise<void>
  addTrace: Traces['add']
  addTask: TaskStore['add']
  putAnswer: AnswerStore['put']
  removeAnswer: AnswerStore['remove']
  changeTask: TaskStore['change']
  claimTasks: TaskStore['claim']
  holdTask: TaskStore['hold']
  removeTask: TaskStore['remove']
  /**
   * Deletes some of what is kept no longer, and makes room for what comes. Resolves with whether there is more: ask
   * again.
   */
  retain(): Promise<boolean>
  /** Moves some of the sums of days to this process's time zone. Resolves with whether there is more: ask again. */
  moveDays(): Promise<boolean>
  close(): Promise<void>
}

export interface WriterParts extends TakeParts {
  /** The life of this process. */
  readonly life: string
  readonly retention: Retention
}

/** How often it is looked for lives that are over, in milliseconds. */
const LIVES = 10_000
/** After how long a take stops behind the next segment, in milliseconds: far less than whoever asks waits. */
const TAKE = 5_000
/** How long a take of this process's rows waits for those of lives that are over, in milliseconds. */
const PATIENCE = 100

export function createWriterCalls(parts: WriterParts): WriterCalls {
  const { connection, life, retention } = parts
  const takeOver = createTakeOver(parts, life)
  const tasks = createTaskStore(connection)
  const answers = createAnswerStore(connection)
  const leases = { connection, node: hostname() }
  const alerts = createAlerts({ connection })
  let from: Position | undefined
  let looked = Number.NEGATIVE_INFINITY
  /** The zone that is still to be moved to: once a process, or two that do not agree would never end. */
  let zone: string | undefined = parts.zone
  let taking: Promise<unknown> = Promise.resolve()

  /** Lives that are over are taken in while this one's rows go on: each is seen soon, however long the journals are. */
  let over: Promise<boolean> | undefined
  const beginTakeOver = (): Promise<boolean> => {
    const own = takeOver(performance.now() + TAKE).finally(() => {
      over = undefined
    })
    // Whoever waits for it is told.
    own.catch(() => {})
    return own
  }

  const takeSome = async (upTo: Position): Promise<boolean> => {
    const until = performance.now() + TAKE
    const { isAll, ...at } = await takeLife(parts, life, { ...(from && { from }), upTo, until })
    from = at
    if (!isAll) return true
    if (performance.now() - looked < LIVES) return false
    looked = performance.now()
    over ??= beginTakeOver()
    if (await Promise.race([over, wait(PATIENCE)])) return false
    looked = Number.NEGATIVE_INFINITY
    return true
  }

  /** One after the other. */
  const inTurn = <Result>(take: () => Promise<Result>): Promise<Result> => {
    const taken = taking.then(take)
    taking = taken.catch(() => {})
    return taken
  }

  /** Does something when those are taken in that are over, as far as their journals are here. */
  const afterAll = <Result>(act: () => Promise<Result>): Promise<Result> =>
    inTurn(async () => {
      await over?.catch(() => {})
      over ??= beginTakeOver()
      await over
      return act()
    })

  /** There may be alerts afterwards. */
  const alerting = async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await change
    parts.onAlert?.()
    return result
  }

  return {
    take: (upTo) => inTurn(() => takeSome(upTo)),
    takeOver: () => afterAll(async () => {}),
    changeLease: (key, change) => changeLease(leases, key, change),
    beat: () => beat(leases, life),
    usedUp: (window) => alerting(transact(connection, (trx) => noteUsedUp(connection, trx, window))),
    setBudget: (budget) => alerting(setBudget(connection, budget, parts.zone)),
    removeBudget: (id) => removeBudget(connection, id),
    configureBudgets: (budgets) => alerting(configureBudgets(connection, budgets)),
    silentLives: () => afterAll(() => silentLives(parts)),
    endDoubt: (ended, how) => alerting(afterAll(() => endDoubt(parts, ended, how))),
    releaseHeld: (release) => afterAll(() => releaseHeld(parts, release)),
    takeAlerts: alerts.take,
    alertDone: alerts.done,
    dropAlert: alerts.drop,
    alertLater: alerts.later,
    async forget() {
      await closeLife(connection, life)
      await forgetTaken(connection, life)
    },
    createKey: (key) => createKey(connection, key, Date.now(), parts.zone),
    changeKey: (id, change, version) => changeKey(connection, id, change, version),
    rotateKey: (id, rotation) => rotateKey(connection, id, rotation),
    configurePrincipals: (principals) => configurePrincipals(connection, principals),
    revokeKey: (idOrName) => revokeKey(connection, idOrName),
    writeList: createListStore(connection).write,
    addPrices: (rows) => addPrices(connection, rows),
    addTrace: createTraces(connection).add,
    addTask: tasks.add,
    putAnswer: answers.put,
    removeAnswer: answers.remove,
    changeTask: tasks.change,
    claimTasks: tasks.claim,
    holdTask: tasks.hold,
    removeTask: tasks.remove,
    retain: async () => (await retain(connection, { ...retention, zone: parts.zone })).isMore,
    async moveDays() {
      const move = await moveDays(connection, { ...(zone && { zone }) })
      if (move === 'begun')
        parts.onProblem(
          `The days of sums begin in the time zone ${parts.zone} from now on. Those that are there are moved.`,
        )
      const isMore = move !== 'done' || (zone !== undefined && (await readSetting(connection, 'zone')) !== zone)
      if (move === 'begun' || !isMore) zone = undefined
      return isMore
    },
    async close() {
      await taking
      await over?.catch(() => {})
      await connection.close()
    },
  }
}

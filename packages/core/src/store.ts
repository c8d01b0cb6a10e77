/**
 * What the author of a store needs: what is kept, and how its keeper says what is wrong. Loads at once, also in a
 * worker thread.
 */
export { object } from './canonical/json.ts'
export type { Loss } from './canonical/loss.ts'
export type { FinishReason } from './canonical/response.ts'
export type { ModelFacts, Price, Rates, Tariff } from './canonical/target.ts'
export type { Usage } from './canonical/usage.ts'
export type { AnswerRoom, AnswerSight, AnswerStore, KeptAnswer } from './contract/answers.ts'
export {
  type Budget,
  type BudgetAmounts,
  type BudgetAsk,
  type BudgetPeriod,
  type BudgetRefusal,
  type BudgetScope,
  type Budgets,
  budgetAmounts,
} from './contract/budgets.ts'
export type { KeyInfo, KeyInfoOf, KeyUse } from './contract/key-info.ts'
export { type AttemptRow, type Ledger, type Principal, recordable, type UsageRow } from './contract/ledger.ts'
export type { ListStore } from './contract/list-store.ts'
export type { PriceBook } from './contract/ports.ts'
export type { RateLimit } from './contract/rates.ts'
export type { Task, TaskClaim, TaskQuery, TaskStatus, TaskStore } from './contract/tasks.ts'
export { isNetwork, isWithin } from './edge/addresses.ts'
export { clientAddress, type ProxyHeaders } from './edge/client-address.ts'
export { isOrigin } from './edge/origin.ts'
export { beginningOfRequest } from './edge/request-id.ts'
export { type ErrorKind, HeadgateError } from './errors.ts'
export { type CostExplained, type CostLine, explainCost } from './pipeline/cost.ts'
export { inDollars } from './pipeline/dollars.ts'
export { type Pace, paceOf } from './pipeline/tasks/pace.ts'
export { uuidv7 } from './uuid.ts'

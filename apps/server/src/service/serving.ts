import type { IncomingMessage, ServerResponse } from 'node:http'
import { enabledEntries } from '@headgate/discovery'
import {
  type AnswerOptions,
  type BudgetRefusal,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type RateRefusal,
  type Traces,
} from '@headgate/gateway'
import { rateLimitsBy } from '@headgate/gateway/operate'
import type { RateCounters } from '@headgate/gateway/ports'
import { type Authentication, authenticate as authenticateBy, type Secret, type Store } from '@headgate/store'
import type { Settings } from '../config/settings.ts'
import { answerOptions } from './answers.ts'
import type { Inventory } from './inventory.ts'
import { createKeyInfo } from './key-info.ts'
import { createOperations, type OperationSources } from './operations.ts'
import { configuredOptions } from './options.ts'
import { limitsOf } from './rate-limits.ts'
import { toldBudgets, toldRateLimits } from './refusals.ts'
import { shareOf } from './share.ts'
import { taskOptions } from './tasks.ts'
import { estimateTokens } from './token-estimate.ts'

/**
 * What of the program comes from its configuration and adapters alone, and is put together anew when these are read
 * anew.
 */
export interface Serving {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly gateway: Gateway
  readonly authenticate: Authentication
  handle(request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean): void
}

export interface ServingParts
  extends Pick<OperationSources, 'notReady' | 'metrics'>,
    Required<Pick<GatewayOptions, 'onAccess' | 'onWarning' | 'openapi'>> {
  readonly settings: Settings
  readonly inventory: Inventory
  readonly store: Store
  /** Where it is kept what goes over the wire; absent = nowhere. */
  readonly traces?: Traces | undefined
  readonly secret: Secret
  /** Records uses of responses of others; absent = there is no audit log. */
  readonly audit?: AnswerOptions['audit'] | undefined
  /** Where this machine reaches the program, once it listens. */
  localUrl(): string
  /** What counts for rate limits, whatever serves. */
  readonly counters: RateCounters
  /** Of how many servers the program is. */
  readonly size: number
  /** The one whose place it takes. */
  readonly after?: Gateway | undefined
  readonly create?: (options: GatewayOptions) => Gateway
  onBudgetRefusal(refusal: BudgetRefusal): void
  onRateRefusal(refusal: RateRefusal): void
}

export function createServing(parts: ServingParts): Serving {
  const {
    settings,
    inventory,
    store,
    traces,
    secret,
    audit,
    localUrl,
    counters,
    size,
    after,
    create = createGateway,
    notReady,
    metrics,
    openapi,
    onAccess,
    onWarning,
    onBudgetRefusal,
    onRateRefusal,
  } = parts
  const { config, keys } = settings
  const authenticate = authenticateBy(store, keys)
  const own = { ...settings, config: { ...config, limits: shareOf(config.limits, size) } }
  const url = (): string => (settings.publicUrl ?? localUrl()).replace(/\/+$/, '')
  const gateway = create({
    ...configuredOptions(own, enabledEntries(inventory.providers), inventory.search),
    ...(after && { after }),
    authenticate,
    keyInfo: createKeyInfo(store),
    ledger: store.ledger,
    budgets: toldBudgets(store.budgets, onBudgetRefusal),
    prices: store.prices,
    rateLimits: toldRateLimits(rateLimitsBy(counters, limitsOf(settings)), onRateRefusal),
    lists: store.lists,
    ...(traces && { traces }),
    tasks: taskOptions(settings, store, secret, url),
    answers: answerOptions(settings, store, secret, audit),
    ...(config.hostedTools && { hostedTools: config.hostedTools }),
    estimateTokens,
    openapi,
    onAccess,
    onWarning,
  })
  const operate = createOperations({
    authenticate,
    notReady,
    metrics,
    url,
    trustedProxies: config.server?.trustedProxies,
    onWarning,
  })
  return {
    settings,
    inventory,
    gateway,
    authenticate,
    handle: (request, response, awaitsContinue) => {
      if (!operate(request, response)) gateway.node(request, response, awaitsContinue)
    },
  }
}

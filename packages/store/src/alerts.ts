import { HeadgateError } from '@headgate/gateway'
import { createGuard, type Guard, postWebhook } from '@headgate/gateway/operate'
import { inDollars, uuidv7 } from '@headgate/gateway/ports'
import type { BudgetAlert, BudgetAlerts } from './budgets/alerts.ts'
import type { Secret } from './secret/secret.ts'
import { webhookSecret } from './secret/webhook-secret.ts'

/** Webhook that receives alerts. */
export interface AlertWebhook {
  readonly url: string
  /** Secret that signs alerts. Default: derived from the gateway's secret. */
  readonly secret?: string | undefined
  /** True if the host may have a private address; default false. */
  readonly private?: boolean | undefined
}

/** Maximum duration of a delivery, in milliseconds. */
const TIME = 10_000
/** Delays of the next attempts, in milliseconds. `LAST_RETRY` applies after them, until the store gives the alert up. */
const RETRIES = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 7_200_000, 14_400_000]
const LAST_RETRY = 28_800_000
/** Maximum deliveries at a time. */
const AT_ONCE = 10
/** Time that an alert is reserved for this process, in milliseconds; longer than a delivery. */
const RESERVED_FOR = 3 * TIME
/** Interval of checks for alerts that other processes left, in milliseconds. */
const LOOK = 60_000

/** Validated webhook that receives alerts. */
export interface AlertTarget {
  readonly url: string
  readonly secret: string
  readonly guard: Guard
}

/** Signing secret of alerts if the configuration has none. */
export function alertSecret(secret: Secret): string {
  return webhookSecret(secret, 'alerts', 'budgets')
}

/**
 * Target of a configured webhook.
 * @param own returns the gateway's secret, if the configuration has no secret for alerts
 */
export function alertTarget({ url, secret, private: isPrivate = false }: AlertWebhook, own: () => Secret): AlertTarget {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return { url, secret: secret ?? alertSecret(own()), guard: createGuard({ allowPrivate: isPrivate ? [host] : [] }) }
}

/** Delivers an alert. Resolves once the receiver has accepted it. Rejects with HeadgateError. */
export function postAlert({ url, secret, guard }: AlertTarget, alert: BudgetAlert, ended: AbortSignal): Promise<void> {
  return postWebhook(guard, { id: alert.id, url, body: JSON.stringify(budgetEvent(alert)), secret, time: TIME }, ended)
}

/** Event of an alert, as webhooks get it. */
export function budgetEvent({
  budget: { id, name, scope, owner },
  percent,
  spent,
  limit,
  window,
  resetAt,
  at,
}: BudgetAlert): object {
  return {
    type: 'budget.threshold',
    timestamp: new Date(at).toISOString(),
    data: {
      budget: { id, name, scope, owner },
      share: percent / 100,
      spent: inDollars(spent),
      limit: inDollars(limit),
      window,
      reset_at: resetAt === undefined ? null : new Date(resetAt).toISOString(),
    },
  }
}

/** Test alert that belongs to no budget. */
export function sampleAlert(at: number): BudgetAlert {
  const budget = {
    id: 'budget_test',
    name: 'test without a budget',
    scope: 'key' as const,
    owner: 'key_test',
    soft: false,
  }
  return {
    id: `alert_${uuidv7()}`,
    budget,
    percent: 50,
    spent: 2_500_000_000n,
    limit: 5_000_000_000n,
    window: 'forever',
    at,
    tries: 0,
  }
}

export interface AlertsParts {
  readonly store: Pick<BudgetAlerts, 'take' | 'done' | 'drop' | 'later'>
  /** Absent if alerts are only logged. */
  readonly target: AlertTarget | undefined
  /**
   * Delivers an alert to further destinations. Resolves with false without one. If it rejects, the alert is
   * delivered again, also to the target. Default: none.
   */
  readonly deliver?: ((alert: BudgetAlert, ended: AbortSignal) => Promise<boolean>) | undefined
  /** Called once for each alert. */
  onAlert(alert: BudgetAlert, sentence: string): void
  onProblem(message: string): void
}

/** Delivery of alerts. Each alert is delivered by one of the processes that share a store. */
export interface Alerts {
  /** Checks for new alerts. */
  wake(): void
  retarget(target: AlertTarget | undefined): void
  /** Aborts deliveries in progress. Another process delivers them, or the next start does. */
  end(): Promise<void>
}

export function createAlerts({ store, target: first, deliver: others, onAlert, onProblem }: AlertsParts): Alerts {
  const ending = new AbortController()
  let target = first
  let running: Promise<void> | undefined
  let isWanted = false

  const deliver = async (alert: BudgetAlert): Promise<void> => {
    if (alert.tries === 0) onAlert(alert, budgetSentence(alert))
    let isSent = target !== undefined
    try {
      if (target) await postAlert(target, alert, ending.signal)
      if (await others?.(alert, ending.signal)) isSent = true
    } catch (error) {
      if (ending.signal.aborted) return
      const reason = HeadgateError.is(error) ? error.message : String(error)
      const wait = RETRIES[alert.tries] ?? LAST_RETRY
      if (await store.later(alert.id, Date.now() + wait)) setTimeout(wake, wait + 1).unref()
      else onProblem(`Alert ${alert.id} could not be delivered and will not be tried again: ${reason}.`)
      return
    }
    await (isSent ? store.done(alert.id) : store.drop(alert.id))
  }
  const look = async (): Promise<void> => {
    while (isWanted && !ending.signal.aborted) {
      isWanted = false
      const due = await store.take(AT_ONCE, RESERVED_FOR)
      await Promise.all(due.map(deliver))
      if (due.length === AT_ONCE) isWanted = true
    }
  }
  const wake = (): void => {
    isWanted = true
    // The next check tries an unreachable store again.
    running ??= look()
      .catch(() => {})
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(wake, LOOK).unref()
  return {
    wake,
    retarget(next) {
      target = next
    },
    async end() {
      clearInterval(timer)
      ending.abort()
      await running
    },
  }
}

/** Alert in one sentence, without a period. */
export function budgetSentence({ budget: { name, scope, owner, soft }, percent, spent, limit }: BudgetAlert): string {
  const what = `${percent} % of the ${soft ? 'soft ' : ''}budget ${JSON.stringify(name)} of ${scope} ${owner} is spent`
  return `${what}: $${inDollars(spent)} of $${inDollars(limit)}`
}

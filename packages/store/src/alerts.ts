import { HeadgateError } from '@headgate/gateway'
import { createGuard, type Guard, postWebhook } from '@headgate/gateway/operate'
import { inDollars, uuidv7 } from '@headgate/gateway/ports'
import type { BudgetAlert, BudgetAlerts } from './budgets/alerts.ts'
import type { Secret } from './secret/secret.ts'
import { webhookSecret } from './secret/webhook-secret.ts'

/** Where alerts are sent. */
export interface AlertsConfig {
  readonly url: string
  /** Verifies alerts. Default: derived from the secret of the program. */
  readonly secret?: string | undefined
  /** Whether the host may have a private address. */
  readonly private?: boolean | undefined
}

/** How long whoever is told may take, in milliseconds. */
const TIME = 10_000
/** What fails is tried again after so many milliseconds, and so on, until the store gives it up. */
const AGAIN = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 7_200_000, 14_400_000]
const AT_LAST = 28_800_000
/** How many are told of at a time. */
const AT_ONCE = 10
/** How long nobody else tells of what was taken: longer than telling takes. */
const TAKEN = 3 * TIME
/** How often it is looked for what others have left, in milliseconds. */
const LOOK = 60_000

/** Who is told. */
export interface AlertTarget {
  readonly url: string
  readonly secret: string
  readonly guard: Guard
}

/** What verifies alerts where the configuration names nothing. */
export function alertSecret(secret: Secret): string {
  return webhookSecret(secret, 'alerts', 'budgets')
}

/** `own` is asked where the configuration has no secret of alerts. */
export function alertTarget({ url, secret, private: isPrivate = false }: AlertsConfig, own: () => Secret): AlertTarget {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return { url, secret: secret ?? alertSecret(own()), guard: createGuard({ allowPrivate: isPrivate ? [host] : [] }) }
}

/** Resolves once the other side has said that it knows. Rejects with HeadgateError. */
export function postAlert({ url, secret, guard }: AlertTarget, alert: BudgetAlert, ended: AbortSignal): Promise<void> {
  return postWebhook(guard, { id: alert.id, url, body: JSON.stringify(eventOf(alert)), secret, time: TIME }, ended)
}

function eventOf({
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

/** One that is of no budget. */
export function sampleAlert(at: number): BudgetAlert {
  const budget = {
    id: 'budget_test',
    name: 'a test, of no budget',
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
  /** Absent = the log alone has them. */
  readonly target: AlertTarget | undefined
  /** Told of each once. */
  onAlert(alert: BudgetAlert, sentence: string): void
  onProblem(message: string): void
}

/** Tells of what is spent. Several processes of a store share this: each alert is told of by one of them. */
export interface Alerts {
  /** There may be new ones. */
  wake(): void
  retarget(target: AlertTarget | undefined): void
  /** What is under way breaks off, and is told of by another process, or at the next start. */
  end(): Promise<void>
}

export function createAlerts({ store, target: first, onAlert, onProblem }: AlertsParts): Alerts {
  const ending = new AbortController()
  let target = first
  let running: Promise<void> | undefined
  let isWanted = false

  const tell = async (alert: BudgetAlert): Promise<void> => {
    if (alert.tries === 0) onAlert(alert, sentenceOf(alert))
    if (!target) return store.drop(alert.id)
    try {
      await postAlert(target, alert, ending.signal)
    } catch (error) {
      if (ending.signal.aborted) return
      const reason = HeadgateError.is(error) ? error.message : String(error)
      const wait = AGAIN[alert.tries] ?? AT_LAST
      if (await store.later(alert.id, Date.now() + wait)) setTimeout(wake, wait + 1).unref()
      else onProblem(`The alert ${alert.id} was given up: ${reason}.`)
      return
    }
    await store.done(alert.id)
  }
  const look = async (): Promise<void> => {
    while (isWanted && !ending.signal.aborted) {
      isWanted = false
      const taken = await store.take(AT_ONCE, TAKEN)
      await Promise.all(taken.map(tell))
      if (taken.length === AT_ONCE) isWanted = true
    }
  }
  const wake = (): void => {
    isWanted = true
    // A store that is away is asked again.
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

function sentenceOf({ budget: { name, scope, owner, soft }, percent, spent, limit }: BudgetAlert): string {
  const what = `${percent} % of the ${soft ? 'soft ' : ''}budget ${JSON.stringify(name)} of ${scope} ${owner} are spent`
  return `${what}: $${inDollars(spent)} of $${inDollars(limit)}`
}

import { HeadgateError } from '@headgate/gateway'
import { createGuard, postWebhook } from '@headgate/gateway/operate'
import { uuidv7 } from '@headgate/gateway/ports'
import {
  type AlertDestination,
  type BudgetAlert,
  createDestinationSealer,
  type Secret,
  type Store,
} from '@headgate/store'
import { alertSecret } from '@headgate/store/alerts'
import type { Settings } from '../config/settings.ts'
import { type AlertMessage, bodyOf, budgetMessage, ruleMessage, testMessage } from './messages.ts'

/** Mail with an alert. */
export interface AlertMail {
  readonly to: string
  readonly kind: 'alert'
  readonly alert: { readonly subject: string; readonly text: string }
}

export interface AlertOutboxParts {
  readonly store: Pick<Store, 'usage' | 'destinations'>
  readonly secret: Secret
  readonly settings: Settings
  onProblem(message: string): void
}

/** Delivery of alerts to destinations that people have entered. */
export interface AlertOutbox {
  /** Sets how mails are sent; undefined without a mail server. */
  setMail(send: ((mail: AlertMail) => Promise<void>) | undefined): void
  /** Sends a budget's alert to all destinations for spending. Resolves with false without one. */
  budget(alert: BudgetAlert, ended: AbortSignal): Promise<boolean>
  /** Checks the address of a destination and encrypts it. @throws HeadgateError `invalid-request` */
  seal(
    of: Pick<AlertDestination, 'id' | 'kind'>,
    address: string,
  ): Promise<{ readonly sealed: string; readonly shown: string }>
  /** True if a destination gets alerts of budgets. */
  hasSpend(): Promise<boolean>
  /** Sends a test alert. @throws HeadgateError if it cannot be sent */
  test(id: string): Promise<void>
  /** Checks error rates and latency now. */
  check(): Promise<void>
  end(): void
}

/** Time limit of a delivery, and interval of checks, in milliseconds. */
const TIME = 10_000
const EVERY = 60_000
/** Minimum number of requests for a share or a percentile. */
const ENOUGH = 20
const MINUTE = 60_000

export function createAlertOutbox({ store, secret, settings, onProblem }: AlertOutboxParts): AlertOutbox {
  const { accounts } = settings.config
  const hosts = accounts ? (accounts.privateHosts ?? []) : []
  const guard = createGuard({ allowPrivate: hosts })
  const sealer = createDestinationSealer(secret)
  const ending = new AbortController()
  let sendMail: ((mail: AlertMail) => Promise<void>) | undefined

  const send = async (to: AlertDestination, message: AlertMessage, ended: AbortSignal): Promise<void> => {
    const address = sealer.open(to)
    if (address === undefined) throw new HeadgateError('invalid-request', 'its address must be entered again')
    if (to.kind !== 'mail') {
      const webhook = {
        id: message.id,
        url: address,
        body: bodyOf(to.kind, message),
        secret: alertSecret(secret),
        time: TIME,
      }
      return postWebhook(guard, webhook, ended)
    }
    if (!sendMail) throw new HeadgateError('conflict', 'the configuration has no mail server')
    await sendMail({ to: address, kind: 'alert', alert: { subject: message.subject, text: `${message.sentence}\n` } })
  }
  const check = async (): Promise<void> => {
    const now = Date.now()
    for (const destination of await store.destinations.list()) {
      for (const topic of ['errors', 'latency'] as const) {
        const rule = destination.rules[topic]
        if (!rule) continue
        const { minutes, firstByteMs } = await store.usage.minutes({ from: now - rule.minutes * MINUTE, to: now })
        const value =
          topic === 'errors'
            ? errorShare(minutes)
            : firstByteMs && firstByteMs.requests >= ENOUGH
              ? firstByteMs.p95
              : null
        const isFiring = value !== null && value > rule.above
        if (!(await store.destinations.fire({ destination: destination.id, topic, isFiring }))) continue
        const message = ruleMessage(`alert_${uuidv7()}`, { topic, rule, isFiring, value, at: now })
        await send(destination, message, ending.signal).catch((error: unknown) =>
          onProblem(`An alert could not be sent to ${destination.name}: ${reasonOf(error)}.`),
        )
      }
    }
  }
  const timer = setInterval(() => void check().catch(() => {}), EVERY).unref()

  return {
    setMail: (mail) => {
      sendMail = mail
    },
    async budget(alert, ended) {
      const all = (await store.destinations.list()).filter(({ rules }) => rules.spend)
      const message = budgetMessage(alert)
      const sent = await Promise.allSettled(all.map((one) => send(one, message, ended)))
      const failed = sent.find((one) => one.status === 'rejected')
      if (failed) throw failed.reason
      return all.length > 0
    },
    async seal(of, address) {
      if (of.kind === 'mail') return { sealed: sealer.seal(mailAddress(address), of), shown: mailAddress(address) }
      const url = await checkedAddress(guard, address, hosts)
      return { sealed: sealer.seal(url.href, of), shown: url.host }
    },
    hasSpend: async () => (await store.destinations.list()).some(({ rules }) => rules.spend === true),
    async test(id) {
      const found = (await store.destinations.list()).find((one) => one.id === id)
      if (!found) throw new HeadgateError('not-found', 'There is no such destination.')
      try {
        await send(found, testMessage(`alert_${uuidv7()}`, Date.now()), ending.signal)
      } catch (error) {
        throw new HeadgateError('upstream', `The test alert was not sent: ${reasonOf(error)}.`, { status: 502 })
      }
    },
    check,
    end: () => {
      clearInterval(timer)
      ending.abort()
    },
  }
}

/** Percentage of failed requests; null if there are too few. Refused and canceled requests do not count. */
function errorShare(minutes: readonly { readonly byOutcome: Readonly<Record<string, number>> }[]): number | null {
  const sum = (names: readonly string[]): number =>
    minutes.reduce((total, { byOutcome }) => total + names.reduce((all, name) => all + (byOutcome[name] ?? 0), 0), 0)
  const failed = sum(['failed', 'cut'])
  const all = failed + sum(['served', 'failed-over'])
  return all < ENOUGH ? null : (failed / all) * 100
}

/** URL that receivers can have. Unknown and private hosts have the same message. */
async function checkedAddress(
  guard: ReturnType<typeof createGuard>,
  address: string,
  privateHosts: readonly string[],
): Promise<URL> {
  const url = URL.parse(address)
  const isNamed = privateHosts.includes(url?.hostname.replace(/^\[|\]$/g, '') ?? '')
  const schemes = isNamed ? ['https:', 'http:'] : ['https:']
  if (!url || `${url.username}${url.password}` !== '' || !schemes.includes(url.protocol))
    throw wrong('The address must be an https URL without a user name.')
  try {
    const client = await guard.connect(url, AbortSignal.timeout(TIME))
    await client.destroy()
  } catch {
    throw wrong(`The host ${url.host} has no public address. Check it, or add it to \`accounts.privateHosts\`.`)
  }
  return url
}

function mailAddress(address: string): string {
  const text = address.trim()
  if (/^[^\s@,;:<>"()[\]\\\p{Cc}]{1,64}@[a-z0-9.-]{1,190}$/iu.test(text)) return text
  throw wrong('The address is not a valid mail address.')
}

function wrong(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message, { param: 'address' })
}

function reasonOf(error: unknown): string {
  return HeadgateError.is(error) ? error.message.replace(/\.$/, '') : 'it failed'
}

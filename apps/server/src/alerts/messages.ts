import type { AlertRule, AlertTopic, BudgetAlert } from '@headgate/store'
import { budgetEvent, budgetSentence } from '@headgate/store/alerts'

/** Alert in all forms that destinations take. */
export interface AlertMessage {
  /** Id, equal for all attempts. */
  readonly id: string
  readonly subject: string
  readonly sentence: string
  /** Event for webhooks. */
  readonly event: object
}

export function budgetMessage(alert: BudgetAlert): AlertMessage {
  const sentence = `${budgetSentence(alert)}.`
  return {
    id: alert.id,
    subject: `Headgate: ${alert.percent} % of a budget is spent`,
    sentence,
    event: budgetEvent(alert),
  }
}

export interface RuleState {
  readonly topic: AlertTopic
  readonly rule: AlertRule
  readonly isFiring: boolean
  /** Percentage, or milliseconds; null = too few requests. */
  readonly value: number | null
  readonly at: number
}

const UNITS: Readonly<Record<AlertTopic, string>> = { errors: '%', latency: 'ms' }

export function ruleMessage(id: string, { topic, rule, isFiring, value, at }: RuleState): AlertMessage {
  const what = topic === 'errors' ? 'The share of failed requests' : 'The time to the first byte (p95)'
  const amount = value === null ? 'unknown' : `${Math.round(value * 10) / 10} ${UNITS[topic]}`
  const limit = `${rule.above} ${UNITS[topic]}`
  const sentence = isFiring
    ? `${what} was ${amount} in the last ${rule.minutes} minutes, above ${limit}.`
    : `${what} is below ${limit} again.`
  const data = { topic, above: rule.above, minutes: rule.minutes, value }
  const event = { type: isFiring ? 'alert.begun' : 'alert.ended', timestamp: new Date(at).toISOString(), data }
  return {
    id,
    subject: `Headgate: ${topic === 'errors' ? 'error rate' : 'latency'} ${isFiring ? 'alert' : 'is normal'}`,
    sentence,
    event,
  }
}

export function testMessage(id: string, at: number): AlertMessage {
  const sentence = 'This is a test alert of Headgate.'
  return {
    id,
    subject: 'Headgate: test alert',
    sentence,
    event: { type: 'alert.test', timestamp: new Date(at).toISOString(), data: {} },
  }
}

/** Body of a message by the kind of its destination. */
export function bodyOf(kind: 'webhook' | 'slack' | 'teams', { event, sentence, subject }: AlertMessage): string {
  switch (kind) {
    case 'webhook':
      return JSON.stringify(event)
    case 'slack':
      return JSON.stringify({ text: plainText(sentence) })
    case 'teams': {
      const text = (content: string, more: object) =>
        Object.assign({ type: 'TextBlock', text: content, wrap: true }, more)
      const body = [text(subject, { weight: 'bolder' }), text(sentence, {})]
      const content = { type: 'AdaptiveCard', version: '1.4', body }
      return JSON.stringify({
        type: 'message',
        attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
      })
    }
  }
}

/** Text without markup of Slack, which names of budgets could contain. */
function plainText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

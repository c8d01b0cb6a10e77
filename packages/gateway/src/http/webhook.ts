import { createHmac } from 'node:crypto'
import { HeadgateError } from '@headgate/core/errors'
import { checkedUrl, type Guard, refused } from './guard.ts'

/** What a secret of this kind begins with. */
const PREFIX = 'whsec_'

/** What is told to whoever wants to be called back. */
export interface Webhook {
  /** The same at every try. */
  readonly id: string
  readonly url: string
  readonly body: string
  /** `whsec_` and base64. */
  readonly secret: string
  /** Milliseconds. */
  readonly time: number
}

/** By what a receiver knows who calls. `at` is Unix time in seconds. @see https://www.standardwebhooks.com */
export function webhookHeaders(
  { id, body, secret }: Pick<Webhook, 'id' | 'body' | 'secret'>,
  at: number,
): Record<string, string> {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
}

/** Whether somebody can be called back there, now. Rejects with what keeps it from that, as the end of a sentence. */
export async function checkWebhook(guard: Guard, url: string, time: number): Promise<void> {
  const client = await guard.connect(checkedUrl(url), AbortSignal.timeout(time))
  client.destroy().catch(() => {})
}

/**
 * Calls back: resolves once the other side has said that it knows. A redirect is not followed, and nothing of the
 * answer is read. Rejects with HeadgateError.
 */
export async function postWebhook(guard: Guard, webhook: Webhook, ended: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(webhook.time)])
  try {
    const url = checkedUrl(webhook.url)
    const client = await guard.connect(url, signal)
    try {
      const { statusCode, body } = await client.request({
        method: 'POST',
        path: url.pathname + url.search,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'headgate',
          ...webhookHeaders(webhook, Math.floor(Date.now() / 1_000)),
        },
        body: webhook.body,
        signal,
      })
      // What is left unread fails when the connection is closed, and nobody waits for it.
      body.on('error', () => {})
      if (statusCode < 200 || statusCode >= 300) throw refused(`it answered with status ${statusCode}`)
    } finally {
      client.destroy().catch(() => {})
    }
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    throw refused(`the connection failed, or it took longer than ${webhook.time / 1_000} seconds`)
  }
}

import { createHmac } from 'node:crypto'
import { HeadgateError } from '@headgate/core/errors'
import { checkedUrl, type Guard, refused } from './guard.ts'

/** Prefix of webhook secrets. */
const PREFIX = 'whsec_'

/** Webhook message. */
export interface Webhook {
  /** Id of the message, equal for all attempts to deliver it. */
  readonly id: string
  readonly url: string
  readonly body: string
  /** `whsec_` and base64. */
  readonly secret: string
  /** Timeout in milliseconds. */
  readonly time: number
  /** Content type of the body. Default: `application/json`. */
  readonly type?: string | undefined
}

/**
 * Headers with which a receiver verifies the sender. `at` is Unix time in seconds.
 * @see https://www.standardwebhooks.com
 */
export function webhookHeaders(
  { id, body, secret }: Pick<Webhook, 'id' | 'body' | 'secret'>,
  at: number,
): Record<string, string> {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
}

/** Checks that a URL can receive webhooks now. Rejects with the reason, as the end of a sentence. */
export async function checkWebhook(guard: Guard, url: string, time: number): Promise<void> {
  const client = await guard.connect(checkedUrl(url), AbortSignal.timeout(time))
  client.destroy().catch(() => {})
}

/**
 * Delivers a webhook. Resolves when the receiver responds with a status of 2xx; the response body is not read.
 * Redirects are not followed. Rejects with HeadgateError.
 *
 * @example
 * ```ts
 * await postWebhook(
 *   createGuard(),
 *   { id: 'msg_1', url: 'https://example.com/hook', body: '{"type":"alert"}', secret: 'whsec_c2VjcmV0', time: 10_000 },
 *   new AbortController().signal,
 * )
 * ```
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
          'content-type': webhook.type ?? 'application/json',
          'user-agent': 'headgate',
          ...webhookHeaders(webhook, Math.floor(Date.now() / 1_000)),
        },
        body: webhook.body,
        signal,
      })
      // The unread rest of a body fails when the connection is closed; ignore that.
      body.on('error', () => {})
      if (statusCode < 200 || statusCode >= 300) throw refused(`the server responded with status ${statusCode}`)
    } finally {
      client.destroy().catch(() => {})
    }
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    throw refused(`the connection failed, or it took longer than ${webhook.time / 1_000} seconds`)
  }
}

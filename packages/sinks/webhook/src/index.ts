import { createHmac } from 'node:crypto'
import { baseUrl, defineSink, signed } from '@headgate/core/sink'
import { z } from 'zod'

const secret = z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, '`whsec_` and at least 24 bytes in base64')

/**
 * Webhook: rows as JSON or as lines of JSON, with the signature of Standard Webhooks. The id of a message is the id of
 * its batch, so that a receiver can ignore repetitions.
 * @see https://www.standardwebhooks.com
 */
export const webhook = defineSink(
  {
    id: 'webhook',
    title: 'Webhook',
    config: z.strictObject({
      baseUrl: baseUrl.describe('URL of the receiver.'),
      secret: secret.describe('Secret of signatures.'),
      format: z.enum(['json', 'ndjson']).default('json'),
    }),
    env: { baseUrl: ['HEADGATE_SINK_WEBHOOK_URL'], secret: ['HEADGATE_SINK_WEBHOOK_SECRET'] },
  },
  ({ baseUrl, secret, format }) => ({
    baseUrl,
    credential: signed({
      secrets: [secret],
      sign: ({ headers, body }, _, now) => {
        const at = String(Math.floor(now.getTime() / 1_000))
        const mac = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
        const signature = mac.update(`${headers['webhook-id']}.${at}.`).update(body).digest('base64')
        return { 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` }
      },
    }),
    limits: { rows: 1_000, bytes: 1_000_000, waitMs: 5_000 },
    write: {
      request: ({ id, lines, content }) => ({
        method: 'POST',
        url: '',
        headers: { 'webhook-id': id },
        body:
          format === 'ndjson'
            ? { bytes: content, type: 'application/x-ndjson' }
            : { bytes: `{"type":"usage.rows","id":"${id}","data":[${lines.join(',')}]}`, type: 'application/json' },
      }),
      response: () => {},
    },
  }),
)

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Received, rowsOfLines, testSink } from '@headgate/conformance'
import { webhook } from '../src/index.ts'

const KEY = Buffer.from('kestrel-over-the-fjord-in-the-fog')
const config = { baseUrl: 'https://hooks.example/usage', secret: `whsec_${KEY.toString('base64')}` }

/** Verifies a message as https://github.com/standard-webhooks/standard-webhooks does. Returns its id. */
function verified({ headers, raw, path }: Received): string {
  if (path !== '/usage') throw new Error(`wrong path ${path}`)
  const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': signature = '' } = headers
  if (Math.abs(Date.now() / 1_000 - Number(at)) > 300) throw new Error('too old')
  const expected = createHmac('sha256', KEY).update(`${id}.${at}.${raw}`).digest()
  const given = Buffer.from(signature.replace('v1,', ''), 'base64')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('wrong signature')
  return id
}

testSink(webhook, {
  config,
  secrets: [config.secret, KEY.toString('base64')],
  read(request) {
    const id = verified(request)
    const { type, data, ...rest } = JSON.parse(request.raw)
    if (type !== 'usage.rows' || rest.id !== id) throw new Error('wrong message')
    return { id, rows: data }
  },
})

testSink(webhook, {
  config: { ...config, format: 'ndjson' },
  secrets: [config.secret],
  read: (request) => ({ id: verified(request), rows: rowsOfLines(request) }),
})

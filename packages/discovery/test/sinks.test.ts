import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { discoverAdapters } from '../src/discover.ts'
import type { SinkConfig } from '../src/sinks.ts'
import { temporaryFolder } from './support/temporary.ts'

const SINKS = resolve(import.meta.dirname, '../../sinks')
const KEYS = { accessKeyId: 'k', secretAccessKey: 's' }

async function configured(sinks: Readonly<Record<string, SinkConfig>>, environment = {}) {
  const adapters = ['s3', 'webhook'].map((id) => `${SINKS}/${id}`)
  const folder = temporaryFolder({ 'package.json': { headgate: { adapters } } })
  const found = await discoverAdapters({ folder, program: folder, environment, providers: {}, sinks })
  return found.sinks.map(({ name, id, maxBacklog, publicOrigins }) => ({ name, id, maxBacklog, publicOrigins }))
}

it('Hosts of sinks are limited to public addresses, unless the configuration names them', async () => {
  const sinks = {
    aws: { adapter: 's3', bucket: 'usage', ...KEYS },
    minio: {
      adapter: 's3',
      bucket: 'usage',
      baseUrl: 'http://minio.internal:9000',
      style: 'host',
      maxBacklog: 5,
      ...KEYS,
    },
    webhook: { secret: `whsec_${'a'.repeat(32)}` },
  }
  expect(await configured(sinks, { HEADGATE_SINK_WEBHOOK_URL: 'http://10.0.0.5/hook' })).toEqual([
    { name: 'aws', id: 's3', maxBacklog: undefined, publicOrigins: ['https://usage.s3.us-east-1.amazonaws.com'] },
    { name: 'minio', id: 's3', maxBacklog: 5, publicOrigins: [] },
    { name: 'webhook', id: 'webhook', maxBacklog: undefined, publicOrigins: ['http://10.0.0.5'] },
  ])
})

it('Sinks are used only if the configuration names them', async () => {
  const environment = { HEADGATE_SINK_WEBHOOK_URL: 'https://x.example', HEADGATE_SINK_WEBHOOK_SECRET: 'x' }
  expect(await configured({}, environment)).toEqual([])
  expect(await configured({ webhook: { enabled: false } })).toEqual([])
})

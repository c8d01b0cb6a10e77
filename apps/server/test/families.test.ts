import { join } from 'node:path'
import { startUpstream } from '@headgate/conformance'
import { families as FAMILIES, type GatewayOptions } from '@headgate/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adapterPackage } from '../../../packages/discovery/test/support/adapter-package.ts'
import { families as core } from '../../../packages/gateway/src/families/index.ts'
import { createGatewayOf } from '../../../packages/gateway/src/gateway.ts'
import { shouting } from '../../../packages/gateway/test/families/shouting/index.ts'
import { loadSettings } from '../src/config/settings.ts'
import { checkProviders } from '../src/doctor/providers.ts'
import { takeInventory } from '../src/service/inventory.ts'
import { createLog } from '../src/service/log.ts'
import { startService } from '../src/service/service.ts'
import { usageIn } from './stored.ts'
import { temporaryFolder } from './temporary.ts'

const KEY = 'sk-local'
const families = [...core, shouting]

const LOUDSPEAKER = `import { z } from '${import.meta.resolve('zod')}'
const loudspeaker = ({ baseUrl }) => ({
  name: 'loudspeaker', baseUrl, credential: { kind: 'none' }, claims: [],
  known: [{ id: 'loud', families: ['shouting'], price: { id: 'list@today', input: 0, output: 0, units: { characters: 2_000_000_000 } } }],
  models: { request: () => ({ method: 'GET', url: '/models' }), response: () => [] },
  shouting: {
    request: ({ model, text }) => ({ method: 'POST', url: '/shout', body: { json: { model, text } } }),
    response: ({ body }) => body,
  },
})
export const adapter = Object.assign(loudspeaker, {
  id: 'loudspeaker', title: 'Loudspeaker', kind: 'provider', contract: 1, enable: 'configured', env: {},
  config: z.strictObject({ baseUrl: z.url() }),
})
`

/** A project with a provider of one family alone, which core does not have. */
async function project() {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.answer({ kind: 'whole', body: { shout: 'HELLO' } })
  const folder = temporaryFolder({
    'package.json': { headgate: { adapters: ['loudspeaker'] } },
    ...adapterPackage('loudspeaker'),
    'loudspeaker/index.js': LOUDSPEAKER,
    'headgate.config.json': {
      keys: [KEY],
      providers: { loudspeaker: { baseUrl: upstream.origin } },
      search: { backends: { local: { enabled: false } } },
    },
  })
  const surroundings = { folder, environment: {} }
  const settings = await loadSettings({ port: '0', logLevel: 'silent' }, surroundings)
  return { folder, surroundings, settings }
}

describe('A family that the program is given', () => {
  it('is what the doctor says that a provider serves', async () => {
    const { settings, surroundings } = await project()
    const said = async (given: typeof FAMILIES) => {
      const { findings } = await checkProviders(await takeInventory(settings, surroundings, given), {})
      return findings.find(({ about }) => about === 'loudspeaker')?.text
    }
    expect(await said(families)).toBe('responds and returned its model list; serves shouting')
    expect(await said(FAMILIES)).toBe('responds and returned its model list')
  })

  it('is served, counted by the metrics and a row in the store', async () => {
    const { folder, settings, surroundings } = await project()
    const inventory = await takeInventory(settings, surroundings, families)
    const create = (options: GatewayOptions) => createGatewayOf(families, options)
    const service = await startService({ settings, inventory, log: createLog('silent'), environment: {}, create })
    const ask = (path: string, body?: object) =>
      fetch(`${service.url}${path}`, {
        headers: { authorization: `Bearer ${KEY}` },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    try {
      const answer = await ask('/v1/shouts', { model: 'loud', text: 'hello' })
      expect([answer.status, await answer.json()]).toEqual([200, { shout: 'HELLO' }])
      expect(Object.keys(((await (await ask('/openapi.json')).json()) as { paths: object }).paths)).toContain(
        '/v1/shouts',
      )
      const metrics = await (await ask('/metrics')).text()
      const labels = 'provider="loudspeaker",family="shouting",format="shouts",model="loud"'
      expect(metrics).toContain(`headgate_requests_total{${labels},status="2xx"} 1\n`)
      expect(metrics).toContain(`headgate_units_total{${labels},unit="characters"} 5\n`)
      expect(metrics).toContain('headgate_cost_dollars_total{provider="loudspeaker",model="loud"} 0.00001\n')
    } finally {
      await service.stop()
    }
    const priceId = expect.stringMatching(/^catalog\(list@today\):loudspeaker\/loud@/)
    expect(await usageIn(join(folder, '.headgate'))).toMatchObject([
      { family: 'shouting', units: { characters: 5 }, cost: '10000', priceId, billed: true },
    ])
  })
})

import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { isOwnAddress } from '../../../packages/discovery/src/own-address.ts'
import { startInProcess } from './in-process.ts'
import { command, run } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const SEARXNG = resolve(import.meta.dirname, '../../../packages/search/searxng')
const address = Object.values(networkInterfaces()).flatMap((all) => all ?? [])[0]?.address ?? '127.0.0.1'
const literal = address.includes(':') ? `[${address}]` : address

describe('A base URL that is the address of the gateway itself', () => {
  it('stops the start, where the shell has it for clients of the gateway, and says what to do', async () => {
    const environment = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:8787' }
    const said =
      "headgate: providers.anthropic: its base URL http://127.0.0.1:8787 is this gateway's own address, so requests would loop. It comes from ANTHROPIC_BASE_URL, which is meant for clients of the gateway. Unset it for the gateway, or set providers.anthropic.baseUrl to the provider's own address.\n"
    for (const [args, carryOut] of [
      [[], command],
      [['--workers', '2'], run],
      [['config', 'check'], command],
    ] as const) {
      const { code, stderr } = await carryOut(args, { folder: temporaryFolder(), environment })
      expect({ code, stderr }).toEqual({ code: 1, stderr: said })
    }
  })

  it('stops it where the configuration has it, for providers, search backends and engines', async () => {
    const baseUrl = 'http://localhost:9000/v1'
    const own = { adapter: 'openai-compatible', baseUrl }
    const brave = { adapter: 'searxng', baseUrl }
    const cases: readonly (readonly [string, object])[] = [
      ['providers.own', { providers: { own } }],
      ['search.backends.own', { search: { backends: { own: brave } } }],
      [
        'search.engines.docs',
        {
          search: {
            backends: { own: { ...brave, baseUrl: 'https://x.example' } },
            engines: { docs: { backend: 'own', baseUrl } },
          },
        },
      ],
    ]
    for (const [path, config] of cases) {
      const folder = temporaryFolder({
        'headgate.config.json': { server: { port: 9000 }, ...config },
        'package.json': { headgate: { adapters: [SEARXNG] } },
      })
      const { code, stderr } = await command(['config', 'check'], { folder })
      expect(code, path).toBe(1)
      expect(stderr).toContain(`headgate: ${path}: its base URL ${baseUrl} is this gateway's own address`)
      expect(stderr).toContain("Set it to the provider's own address.")
    }
  })

  it('is refused when the configuration is read anew', async () => {
    const provider = { adapter: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', models: ['m'] }
    const folder = temporaryFolder({ 'headgate.config.json': { providers: { own: provider } } })
    const environment = { HEADGATE_PUBLIC_URL: 'https://models.example.com/gateway/' }
    const gateway = await startInProcess({ folder, environment })
    writeFileSync(
      join(folder, 'headgate.config.json'),
      JSON.stringify({ providers: { own: { ...provider, baseUrl: 'https://models.example.com/gateway/v1' } } }),
    )
    gateway.reload()
    await vi.waitUntil(
      () => gateway.output().includes('the previous one stays in effect: providers.own: its base URL'),
      {
        timeout: 60_000,
      },
    )
  })

  it.each([
    ['http://127.0.0.1:8787/v1', '127.0.0.1', true],
    ['http://localhost:8787', '127.0.0.1', true],
    ['http://LOCALHOST:8787', 'localhost', true],
    ['http://[::1]:8787', 'localhost', true],
    ['http://[::1]:8787', '::1', true],
    ['http://[::1]:8787', '127.0.0.1', false],
    ['http://127.0.0.1:8788', '127.0.0.1', false],
    ['https://127.0.0.1:8787', '127.0.0.1', false],
    ['http://10.0.0.5:8787', '127.0.0.1', false],
    ['http://10.0.0.5:8787', '10.0.0.5', true],
    ['http://127.0.0.1:8787', '10.0.0.5', false],
    [`http://${literal}:8787`, '0.0.0.0', true],
    [`http://${literal}:8787`, '::', true],
    ['http://203.0.113.9:8787', '0.0.0.0', false],
    ['https://models.example.com/gateway/v1', '127.0.0.1', true],
    ['https://models.example.com/gateway', '127.0.0.1', true],
    ['https://models.example.com/other/v1', '127.0.0.1', false],
  ])('%s of one that listens at %s: %s', (baseUrl, host, is) => {
    expect(isOwnAddress(baseUrl, { host, port: 8787, publicUrl: 'https://models.example.com/gateway' })).toBe(is)
  })
})

describe('config check', () => {
  it('reports every problem of every provider and search backend', async () => {
    const config = {
      providers: {
        one: { adapter: 'openai', apiKey: 7, baseUrl: 'not a url' },
        two: { adapter: 'no-such-adapter' },
        azure: {},
        four: { adapter: 'anthropic', apiKey: `\${FOUR_KEY}` },
        fine: { adapter: 'demo' },
      },
      search: { backends: { three: { adapter: 'brave', unknown: 1 } }, engines: { docs: { backend: 'nowhere' } } },
    }
    const folder = temporaryFolder({ 'headgate.config.json': config })
    const { code, stderr } = await command(['config', 'check'], { folder, environment: { OPENAI_BASE_URL: '' } })
    expect(code).toBe(1)
    const lines = stderr.split('\n').map((line) => line.trim().split(': ')[0])
    expect(stderr).toContain('headgate.config.json is wrong:')
    expect(stderr).toContain('providers.four.apiKey: the environment variable FOUR_KEY is not set\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'providers.one.apiKey',
        'providers.one.baseUrl',
        'providers.two',
        'providers.azure',
        'search.backends.three',
      ]),
    )
  })
})

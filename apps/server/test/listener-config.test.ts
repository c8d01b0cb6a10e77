import { expect, it } from 'vitest'
import { listenerWarnings } from '../src/config/listener-warnings.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const TLS = { certificate: 'tls.crt', key: 'tls.key' }

/** Warnings of `headgate config check` about the listener. */
async function warningsOf(server: object, environment: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const folder = temporaryFolder({ 'headgate.config.json': { server } })
  const { stdout } = await command(['config', 'check'], { folder, environment })
  return stdout.split('\n').filter((line) => /^Warning: (server\.|HEADGATE_PUBLIC_URL)/.test(line))
}

it('Connections that probes and people can use have no warning', async () => {
  expect(await warningsOf({ tls: TLS })).toEqual([])
  expect(await warningsOf({ tls: { ...TLS, clients: { ca: 'ca.crt' } }, healthPort: 8788 })).toEqual([])
  expect(await warningsOf({ proxyProtocol: ['10.0.0.9'], trustedProxies: ['10.0.1.0/24'], healthPort: 0 })).toEqual([])
})

it.each([
  ['client certificates', { tls: { ...TLS, clients: { ca: 'ca.crt' } } }, {}, 'server.tls.clients: probes'],
  ['the PROXY protocol', { proxyProtocol: ['10.0.0.9'] }, {}, 'server.proxyProtocol: probes'],
  [
    'a public URL without TLS',
    { tls: TLS },
    { HEADGATE_PUBLIC_URL: 'http://models.example.com' },
    'Begin it with https',
  ],
  [
    'a proxy that is trusted twice',
    { proxyProtocol: ['10.0.0.9'], trustedProxies: ['10.0.0.0/24'], healthPort: 8788 },
    {},
    'server.trustedProxies: 10.0.0.9 also sends',
  ],
])('`headgate config check` warns of %s', async (_, server, environment, warning) => {
  expect(await warningsOf(server, environment)).toEqual([expect.stringContaining(warning)])
})

it.each([
  ['an empty list of load balancers', { proxyProtocol: [] }, 'server.proxyProtocol'],
  ['a host name instead of an address', { proxyProtocol: ['lb.example.com'] }, 'server.proxyProtocol[0]'],
  ['TLS without a key', { tls: { certificate: 'tls.crt' } }, 'server.tls.key'],
  ['a port that does not exist', { healthPort: 70_000 }, 'server.healthPort'],
])('%s is refused', async (_, server, field) => {
  const folder = temporaryFolder({ 'headgate.config.json': { server } })
  const { code, stderr } = await command(['config', 'check'], { folder })
  expect(code).toBe(1)
  expect(stderr).toContain(field)
})

it('Settings without `server` have no warning', () => {
  const settings = { config: {}, port: 1, host: '', workers: 1, dataDir: '', logLevel: 'info', keys: [] } as const
  expect(listenerWarnings(settings)).toEqual([])
})

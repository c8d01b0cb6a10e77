import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Body } from '@headgate/core/provider'
import { describe, expect, it, onTestFinished } from 'vitest'
import { probeUpstream } from '../src/probe.ts'
import type { AdapterOptions } from './support/adapter-package.ts'
import { choose, type Situation, WITH_KEY } from './support/chosen.ts'
import { temporaryFolder } from './support/temporary.ts'

const WITH_FILE: AdapterOptions = {
  config: 'apiKey: z.string().min(3)',
  env: { apiKey: [{ file: 'FILED_KEY_FILE', default: '~/.filed/key.json' }, 'FILED_KEY'] },
}

describe('a provider whose configuration is complete', () => {
  it('is used when the environment has what it needs', async () => {
    const { lines, given } = await choose({
      adapters: { keyed: WITH_KEY },
      environment: { OTHER_KEY: 'k', KEYED_API_KEY: '' },
    })
    expect(lines).toEqual(['keyed: OTHER_KEY set'])
    expect(given).toEqual({ keyed: { apiKey: 'k' } })
  })

  it('is not when something is missing, and the variables are named', async () => {
    const { lines } = await choose({ adapters: { keyed: WITH_KEY }, environment: { KEYED_BASE_URL: 'http://x' } })
    expect(lines).toEqual(['-keyed: KEYED_API_KEY or OTHER_KEY is not set'])
  })

  it('may have a field that is the text of a file, which a variable names', async () => {
    const folder = temporaryFolder({ 'key.json': '{"private":"zebra"}\n' })
    const { lines, given } = await choose({
      adapters: { filed: WITH_FILE },
      environment: { FILED_KEY_FILE: join(folder, 'key.json') },
    })
    expect([lines, given]).toEqual([['filed: FILED_KEY_FILE set'], { filed: { apiKey: '{"private":"zebra"}' } }])
  })

  it('finds the file in its usual place where no variable is set', async () => {
    const HOME = temporaryFolder({ '.filed/key.json': 'zebra of the home' })
    const adapters = { filed: WITH_FILE }
    const usual = await choose({ adapters, environment: { HOME } })
    expect([usual.lines, usual.given]).toEqual([
      ['filed: ~/.filed/key.json set'],
      { filed: { apiKey: 'zebra of the home' } },
    ])
    const set = await choose({ adapters, environment: { HOME, FILED_KEY: 'zebra of the variable' } })
    expect([set.lines, set.given]).toEqual([['filed: FILED_KEY set'], { filed: { apiKey: 'zebra of the variable' } }])
    const { lines } = await choose({ adapters, environment: { HOME: temporaryFolder({}) } })
    expect(lines).toEqual(['-filed: FILED_KEY_FILE (names a file; else ~/.filed/key.json) or FILED_KEY is not set'])
  })

  it.each([
    ['is not there', 'none.json', 'The environment: FILED_KEY_FILE names a file that cannot be read (ENOENT).'],
    ['is empty', 'empty.json', 'The environment: FILED_KEY_FILE names an empty file.'],
    ['is a folder', '.', 'The environment: FILED_KEY_FILE names something that is not a file.'],
    [
      'is too large',
      'large.json',
      'The environment: FILED_KEY_FILE names a file of 1048577 bytes; at most 1048576 are allowed.',
    ],
    ['is wrong', 'short.json', /^The environment is wrong:\n {2}FILED_KEY_FILE \(names a file; .*\) or FILED_KEY: /],
  ])('stops the start when a file that a variable names %s, without showing it', async (_, file, message) => {
    const folder = temporaryFolder({ 'empty.json': ' \n', 'large.json': 'zebra'.padEnd(1_048_577), 'short.json': 'zb' })
    const choosing = choose({ adapters: { filed: WITH_FILE }, environment: { FILED_KEY_FILE: join(folder, file) } })
    await expect(choosing).rejects.toThrow(message)
    await expect(choosing).rejects.not.toThrow(/zb|zebra/)
  })

  it('is not told to write a path where its text is due', async () => {
    const choosing = choose({ adapters: { filed: WITH_FILE }, configured: { other: { adapter: 'filed' } } })
    await expect(choosing).rejects.toThrow(/is missing; allowed: a string; write it here, such as "\$\{FILED_KEY\}"$/)
  })

  it('stops the start when a variable is wrong, without showing it', async () => {
    const choosing = choose({
      adapters: { keyed: WITH_KEY },
      environment: { KEYED_API_KEY: 'k', KEYED_BASE_URL: 'secret' },
    })
    await expect(choosing).rejects.toThrow(
      'The environment is wrong:\n  KEYED_BASE_URL: found a string; allowed: a URL',
    )
  })

  it('needs nothing when nothing is required', async () => {
    expect((await choose({ adapters: { free: {} } })).lines).toEqual(['free: needs no configuration'])
  })
})

describe('a provider that the configuration names', () => {
  it('gets its fields over those of the environment', async () => {
    const { lines, given } = await choose({
      adapters: { keyed: WITH_KEY },
      environment: { KEYED_API_KEY: 'k', KEYED_BASE_URL: 'http://x' },
      configured: { keyed: { baseUrl: 'http://y' } },
    })
    expect(lines).toEqual(['keyed: named by the configuration'])
    expect(given).toEqual({ keyed: { apiKey: 'k', baseUrl: 'http://y' } })
  })

  it('may stand beside another of the same adapter, whose credentials it never gets', async () => {
    const configured = { mine: { adapter: 'keyed', apiKey: 'm', baseUrl: 'http://mine', models: ['a', 'b'] } }
    const { given, states } = await choose({
      adapters: { keyed: WITH_KEY },
      environment: { KEYED_API_KEY: 'k' },
      configured,
    })
    expect(given).toEqual({ mine: { apiKey: 'm', baseUrl: 'http://mine' }, keyed: { apiKey: 'k' } })
    expect(states[0]?.entry).toMatchObject({ name: 'mine', models: ['a', 'b'] })
    const choosing = choose({
      adapters: { keyed: WITH_KEY },
      environment: { KEYED_API_KEY: 'k' },
      configured: { mine: { adapter: 'keyed', baseUrl: 'http://mine' } },
    })
    await expect(choosing).rejects.toThrow(
      `providers.mine.apiKey: is missing; allowed: a string; write it here, such as "\${KEYED_API_KEY}"`,
    )
  })

  it('comes before the others, in the order of the configuration', async () => {
    const { states } = await choose({ adapters: { a: {}, b: {}, c: {} }, configured: { c: {}, b: {} } })
    expect(states.map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  })

  it('stays off when it says so', async () => {
    const { lines } = await choose({
      adapters: { keyed: WITH_KEY },
      environment: { KEYED_API_KEY: 'k' },
      configured: { keyed: { enabled: false } },
    })
    expect(lines).toEqual(['-keyed: disabled by the configuration'])
  })

  it.each([
    [
      'a missing field',
      {},
      'providers.keyed.apiKey: is missing; allowed: a string; set KEYED_API_KEY or OTHER_KEY, or write it here',
    ],
    [
      'an unknown field',
      { apiKey: 'k', basUrl: 'x' },
      'providers.keyed.basUrl: unknown field; allowed: adapter, enabled, models, waiting, tracing, endpoints, apiKey, baseUrl',
    ],
    [
      'a wrong value, which is not shown',
      { apiKey: 'k', baseUrl: 'secret' },
      'providers.keyed.baseUrl: found a string; allowed: a URL',
    ],
  ])('is refused for %s', async (_, config, message) => {
    await expect(choose({ adapters: { keyed: WITH_KEY }, configured: { keyed: config } })).rejects.toThrow(message)
  })

  it('must be installed: the command that does it is named', async () => {
    const choosing = choose({ adapters: { keyed: WITH_KEY }, configured: { absent: {} } })
    await expect(choosing).rejects.toThrow(
      'providers.absent: the adapter "absent" is not installed. Install it with `npm install @headgate/provider-absent`, or use an installed one: keyed.',
    )
  })
})

describe('a provider that is used only when asked', () => {
  it('is off until the configuration names it', async () => {
    const adapters: Situation['adapters'] = { remote: { enable: 'asked', config: 'baseUrl: z.string()' } }
    expect((await choose({ adapters })).lines).toEqual([
      '-remote: enabled only if the configuration names it (`providers.remote`)',
    ])
    const configured = { remote: { baseUrl: 'http://x' } }
    expect((await choose({ adapters, configured })).lines).toEqual(['remote: named by the configuration'])
  })

  it('or until its key is set, where it works without one', async () => {
    const env = { apiKey: ['REMOTE_API_KEY'], baseUrl: ['REMOTE_BASE_URL'] }
    const config = 'apiKey: z.string().optional(), baseUrl: z.string().optional()'
    const adapters: Situation['adapters'] = { remote: { enable: 'asked', config, env } }
    const off =
      '-remote: works without a key, enabled only if the configuration names it (`providers.remote: {}`), or with REMOTE_API_KEY'
    expect((await choose({ adapters })).lines).toEqual([off])
    expect((await choose({ adapters, environment: { REMOTE_BASE_URL: 'http://x' } })).lines).toEqual([off])
    const { lines, given } = await choose({ adapters, environment: { REMOTE_API_KEY: 'k' } })
    expect([lines, given]).toEqual([['remote: REMOTE_API_KEY set'], { remote: { apiKey: 'k' } }])
  })
})

describe('a provider of last resort', () => {
  it('is used only while nothing else is enabled', async () => {
    const adapters: Situation['adapters'] = { fallback: { enable: 'last-resort' }, keyed: WITH_KEY }
    expect((await choose({ adapters })).lines).toContain('fallback: nothing else is enabled')
    const { lines } = await choose({ adapters, environment: { KEYED_API_KEY: 'k' } })
    expect(lines).toContain('-fallback: enabled only as a last resort; keyed is enabled')
  })

  it('or when the configuration names it', async () => {
    const adapters: Situation['adapters'] = { fallback: { enable: 'last-resort' }, free: {} }
    expect((await choose({ adapters, configured: { fallback: {} } })).lines).toEqual([
      'fallback: named by the configuration',
      'free: needs no configuration',
    ])
  })
})

describe('a provider that is probed', () => {
  const adapters: Situation['adapters'] = {
    local: {
      config: 'baseUrl: z.url().default("http://127.0.0.1:1")',
      probe: '() => ({ method: "GET", url: "/version", headers: {} })',
    },
  }

  it('is used when something answers', async () => {
    const { lines, probed } = await choose({ adapters, answers: true })
    expect(lines).toEqual(['local: needs no configuration'])
    expect(probed).toHaveLength(1)
  })

  it('is off when nothing does', async () => {
    expect((await choose({ adapters })).lines[0]).toMatch(/^-local: nothing responds at/)
  })

  it('is not probed when the configuration names it', async () => {
    const { lines, probed } = await choose({ adapters, configured: { local: {} } })
    expect(lines).toEqual(['local: named by the configuration'])
    expect(probed).toEqual([])
  })

  it('counts as there when it answers with success', async () => {
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/base/version' ? 200 : 404).end(),
    )
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const probe = (url: string) => probeUpstream({ method: 'GET', url }, `http://127.0.0.1:${port}/base`)
    expect(await probe('/version')).toBe(true)
    expect(await probe('/other')).toBe(false)
    expect(await probe('http://127.0.0.1:1/')).toBe(false)
  })

  it.each<[string, Body, string, RegExp]>([
    ['JSON', { json: { ping: 1 } }, '{"ping":1}', /^application\/json$/],
    ['bytes', { bytes: Buffer.from('<ping/>'), type: 'text/xml' }, '<ping/>', /^text\/xml$/],
    ['a form', { form: [{ name: 'ping', value: '1' }] }, 'name="ping"', /^multipart\/form-data; boundary=/],
  ])('may be asked with a body of %s', async (_, body, sent, type) => {
    const arrived = Promise.withResolvers<[text: string, type: string | undefined]>()
    const server = createServer(async (request, response) => {
      arrived.resolve([await text(request), request.headers['content-type']])
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    expect(await probeUpstream({ method: 'POST', url: '/ping', body }, `http://127.0.0.1:${port}`)).toBe(true)
    expect(await arrived.promise).toEqual([expect.stringContaining(sent), expect.stringMatching(type)])
  })
})

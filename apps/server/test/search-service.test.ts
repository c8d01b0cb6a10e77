import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adapterPackage } from '../../../packages/discovery/test/support/adapter-package.ts'
import { runCommandLine } from '../src/commands/line.ts'
import { startInProcess } from './in-process.ts'
import { command, type Started } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const KEY = 'sk-local'
const FOUND = { items: [{ title: 'A page', link: 'https://found.example/1', snippet: 'that was found' }] }

/** A project with a backend of its own, which asks an upstream, and another that runs in the process. */
function project(search: object = {}, rest: object = {}): string {
  return temporaryFolder({
    'package.json': { headgate: { adapters: ['papers', 'shelf'] } },
    ...adapterPackage('papers', { kind: 'search', config: 'baseUrl: z.url()', env: { baseUrl: ['PAPERS_BASE_URL'] } }),
    'papers/index.js': PAPERS,
    ...adapterPackage('shelf', { kind: 'search', enable: 'asked' }),
    'headgate.config.json': { keys: [KEY], search, ...rest },
  })
}

const PAPERS = `import { z } from '${import.meta.resolve('zod')}'
const papers = ({ baseUrl }) => ({
  name: 'papers', baseUrl, credential: { kind: 'none' }, paging: { by: 'offset', perCall: 10 }, price: { id: 'papers@2026', calls: 5_000_000_000_000 },
  search: {
    request: ({ q, limit, offset }) => ({ method: 'GET', url: '/find?' + new URLSearchParams({ q, limit, offset }), headers: {} }),
    response: ({ body }) => body,
  },
})
export const adapter = Object.assign(papers, {
  id: 'papers', title: 'Papers', kind: 'search', contract: 1, env: { baseUrl: ['PAPERS_BASE_URL'] }, config: z.strictObject({ baseUrl: z.url() }),
})
`

async function upstreamThatFinds(body: object = FOUND): Promise<LoopbackUpstream> {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.answer({ kind: 'whole', body })
  return upstream
}

function search({ url }: Started, query: string): Promise<Response> {
  return fetch(`${url}/customsearch/v1?${query}`, { headers: { authorization: `Bearer ${KEY}` } })
}

/** Everything that a gateway has written: its output, and its data directory byte by byte. */
function written(gateway: Started, folder: string): string {
  const data = join(folder, '.headgate')
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return [gateway.output(), ...files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))].join('\n')
}

describe('a search', () => {
  it('leaves its words and the key of its query nowhere: not in the log, not in the store, not in metrics', async () => {
    const upstream = await upstreamThatFinds()
    const folder = project({}, { log: { level: 'trace' }, times: { backoff: 1 } })
    const gateway = await startInProcess({ folder, environment: { PAPERS_BASE_URL: upstream.origin } })
    const query = 'q=zebra+crossing&key=AIza-of-the-old-days'
    expect((await search(gateway, query)).status).toBe(200)
    expect(JSON.stringify(upstream.received.map(({ query }) => [...query]))).toContain('zebra crossing')

    const answers = [await search(gateway, `${query}&num=11`), await search(gateway, `${query}&cx=nobody`)]
    upstream.answer({ kind: 'reset' })
    answers.push(await search(gateway, query), await fetch(`${gateway.url}/customsearch/v1?${query}`))
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 500, 401])
    for (const answer of answers) expect(await answer.text()).not.toMatch(/zebra|AIza/)

    const metrics = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })
    expect(await metrics.text()).not.toMatch(/zebra|AIza/)
    await gateway.stop()
    expect(gateway.log().filter(({ msg }) => msg === 'request')).toHaveLength(5)
    expect(written(gateway, folder)).not.toMatch(/zebra|AIza/)
  })

  it('is a row of usage with its calls and its cost, and counted by the metrics', async () => {
    const upstream = await upstreamThatFinds()
    const folder = project({ cache: { seconds: 60 }, engines: { 'my:cx': { backend: 'papers' } } })
    const gateway = await startInProcess({ folder, environment: { PAPERS_BASE_URL: upstream.origin } })
    expect((await search(gateway, 'q=one&cx=my:cx')).headers.get('headgate-vendor')).toBe('papers')
    expect((await search(gateway, 'q=one&cx=my:cx')).headers.get('headgate-cached')).toBe('true')
    upstream.answer({ kind: 'whole', body: { items: [] } })
    expect(await (await search(gateway, 'q=two')).json()).not.toHaveProperty('items')
    upstream.answer({ kind: 'whole', status: 403, body: {} })
    expect((await search(gateway, 'q=three')).status).toBe(500)

    const { stdout } = await command(['usage'], { folder })
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/).slice(2).join(' '))
    expect(rows).toEqual([
      'FAMILY MODEL PROVIDER STATUS INPUT OUTPUT UNITS DOLLARS WHY',
      'search my:cx papers 200 1 search 0.005000 served',
      'search my:cx papers 200 0.000000 cached',
      'search papers papers 200 1 search 0.005000 empty',
      'search papers papers 500 0.000000 failed',
    ])

    const metrics = await (
      await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })
    ).text()
    const labels = 'provider="papers",family="search",format="customsearch"'
    expect(metrics).toContain(`headgate_requests_total{${labels},model="my:cx",status="2xx"} 2`)
    expect(metrics).toContain(`headgate_requests_total{${labels},model="papers",status="2xx"} 1`)
    expect(metrics).toContain(`headgate_units_total{${labels},model="my:cx",unit="searches"} 1`)
    expect(metrics).toContain('headgate_cost_dollars_total{provider="papers",model="my:cx"} 0.005')
    expect(metrics).toContain('headgate_attempts_total{provider="papers",failure="our-credential"} 1')
  })
})

describe('a start', () => {
  it('says which backends and engines there are, and why', async () => {
    const engines = { 'my:cx': { backend: 'papers' }, 'on the shelf': { backend: 'shelf' } }
    const folder = project({ engines })
    const environment = { PAPERS_BASE_URL: 'http://127.0.0.1:1' }
    const gateway = await startInProcess({ folder, environment })
    expect(gateway.output()).toMatch(
      /search +papers \(PAPERS_BASE_URL set\)\n +engines +my:cx \(papers\), on the shelf \(shelf\)\n/,
    )
    const found = await (await search(gateway, 'q=books&cx=on the shelf')).json()
    expect(found).toMatchObject({ context: { title: 'on the shelf' }, items: [{ link: 'https://found.example/' }] })
  })

  it('is refused with the field that is wrong, and shows nothing of what a backend is given', async () => {
    const folder = project({ backends: { papers: { baseUrl: 'secret' } } })
    const { code, stderr } = await command(['start'], { folder })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('search.backends.papers.baseUrl: found a string; allowed: a URL'),
    ])
    expect(stderr).not.toContain('secret')
  })
})

describe('headgate adapters', () => {
  it('tells the backends that are used, that only engines use, and that nothing uses', async () => {
    const folder = project({ engines: { docs: { backend: 'shelf' } } })
    const { stdout } = await command(['adapters'], { folder })
    expect(stdout).toMatch(/^KIND +NAME +ADAPTER +VERSION +STATE +WHY +PATH\n/)
    expect(stdout).toMatch(/^search +papers +papers +1\.0\.0 +off +PAPERS_BASE_URL is not set/m)
    expect(stdout).toMatch(
      /^search +shelf +shelf +1\.0\.0 +engines +works without a key, enabled only if the configuration names it/m,
    )
    expect(stdout).toMatch(/^search +\S+ +\S+ +\S+ +enabled +nothing else is enabled/m)
  })
})

describe('headgate doctor', () => {
  it('sends no search, as each of them costs, and says what there is', async () => {
    const upstream = await upstreamThatFinds()
    const engines = {
      docs: { backend: 'papers' },
      theirs: { backend: 'papers', baseUrl: 'https://theirs.example/zebra' },
    }
    const folder = project({ default: 'docs', backends: { shelf: {} }, engines })
    const said: string[] = []
    const print = (text: string): void => void said.push(text)
    const environment = { PAPERS_BASE_URL: `${upstream.origin}/zebra` }
    expect(await runCommandLine({ args: ['doctor'], folder, environment, print, note: print })).toBe(0)
    const text = said.join('')
    const host = upstream.origin.replace('http://', '')
    expect(text).toMatch(new RegExp(`^note +search papers +at ${host}, not checked: every search costs money$`, 'm'))
    expect(text).toMatch(/^ok +search shelf +runs in this process$/m)
    expect(text).toMatch(/^note +search theirs +at theirs\.example, not checked/m)
    expect(text).toMatch(/^ok +search +default: docs; engines: docs, theirs$/m)
    expect([upstream.received, text.includes('zebra')]).toEqual([[], false])
  })

  it('finds a default that names nothing', async () => {
    const folder = project({ default: 'dosc', backends: { shelf: {} } })
    const said: string[] = []
    const print = (text: string): void => void said.push(text)
    expect(await runCommandLine({ args: ['doctor'], folder, environment: {}, print, note: print })).toBe(1)
    expect(said.join('')).toMatch(
      /^wrong +config +search\.default: found "dosc", which is neither an engine nor an enabled backend; allowed: "shelf"/m,
    )
  })
})

import { describe, expect, it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { startSignedIn } from './signed-in.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

/** Configuration with a model that two providers serve. */
function configuration(baseUrl = 'http://127.0.0.1:9/v1') {
  const provider = { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['big'] }
  return {
    keys: [{ key: 'sk-local-key', name: 'laptop' }],
    providers: { east: provider, west: provider },
    prices: { 'east/big': { input: 1, output: 2, id: 'contract' } },
  }
}

/** Cells of the table, without its headings. */
function rowsOf(stdout: string): string[][] {
  const lines = stdout.trimEnd().split('\n')
  return lines.slice(lines.findIndex((line) => line.startsWith('RANK')) + 1).map((line) => line.split(/ {2,}/))
}

describe('headgate explain', () => {
  it('lists the candidates of a model in order, with their price and state, and calls no provider', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': configuration() })
    const { code, stdout, stderr } = await command(['explain', 'big'], { folder })
    expect([code, stderr]).toEqual([0, expect.stringContaining('set HEADGATE_URL and HEADGATE_API_KEY')])
    expect(stdout).toMatch(/(^|\n)RANK +PROVIDER +MODEL +PRICE +MAX COST +STATE +WHY\n/)
    expect(rowsOf(stdout).map((cells) => cells.slice(0, 4))).toEqual([
      ['1', 'east', 'big', 'config(contract)'],
      ['2', 'west', 'big', '?'],
    ])
    expect(rowsOf(stdout)[0]?.slice(4, 6)).toEqual([expect.stringMatching(/^\$0\.000\d+$/), 'ok'])
    expect((await command(['usage'], { folder })).stdout).not.toContain('big')
  })

  it('can pin a provider, and prints JSON', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': configuration() })
    const { stdout } = await command(['explain', 'big', '--vendor', 'west', '--json'], { folder })
    expect(JSON.parse(stdout)).toMatchObject({
      object: 'headgate.dry_run',
      family: 'chat',
      candidates: [{ provider: 'west', model: 'big' }],
    })
  })

  it('applies the rights of a key, by name', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': configuration() })
    await command(['keys', 'create', '--name', 'ci', '--providers', 'west'], { folder })
    const { stdout } = await command(['explain', 'big', '--key', 'ci'], { folder })
    const open = rowsOf(stdout).filter(([rank]) => rank !== '-')
    expect(open.map(([, provider]) => provider)).toEqual(['west'])
    const laptop = await command(['explain', 'big', '--key', 'laptop'], { folder })
    expect(rowsOf(laptop.stdout)).toHaveLength(2)
  })

  it('asks a running gateway if its address and a key are set', async () => {
    const { baseUrl } = await startUpstream()
    const folder = temporaryFolder({ 'headgate.config.json': configuration(baseUrl) })
    const { url } = await startInProcess({ folder })
    const elsewhere = temporaryFolder()
    const environment = { HEADGATE_URL: `${url}/`, HEADGATE_API_KEY: 'sk-local-key' }
    const live = await command(['explain', 'big'], { folder: elsewhere, environment })
    expect([live.code, live.stderr]).toEqual([0, ''])
    expect(rowsOf(live.stdout).map(([, provider]) => provider)).toEqual(['east', 'west'])
    const refused = await command(['explain', 'big', '--url', url], {
      folder: elsewhere,
      environment: { HEADGATE_API_KEY: 'sk-wrong' },
    })
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch(/^headgate: \S.*key/i)
  })

  it('names the endpoints of a provider, as do usage rows and the management API', async () => {
    const { baseUrl } = await startUpstream()
    const endpoint = (name: string, region: string) => ({ name, region, apiKey: `secret-of-${name}` })
    const providers = {
      clouds: {
        adapter: 'openai-compatible',
        baseUrl,
        models: ['model-1'],
        endpoints: [endpoint('eu', 'eu'), endpoint('us', 'us')],
      },
    }
    const { owner, gateway, key, folder } = await startSignedIn({ providers })
    const environment = { HEADGATE_URL: gateway.url, HEADGATE_API_KEY: key() }
    const args = ['explain', 'model-1', '--policy', 'priority; region=us']
    const { stdout } = await command(args, { folder: temporaryFolder(), environment })
    expect(stdout).toMatch(/^Policy: priority\n\nRANK +PROVIDER +ENDPOINT +MODEL /)
    expect(rowsOf(stdout).map((cells) => cells.slice(0, 3))).toEqual([
      ['1', 'clouds', 'us'],
      ['-', 'clouds', 'eu'],
    ])
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
    await answer.text()
    const id = answer.headers.get('x-request-id')
    await vi.waitUntil(async () => (await owner.ask(`/usage/${id}`)).ok, { timeout: 60_000 })
    const row = await owner.read<{ endpoint: string; policy: string; attempts: object[]; routing: object }>(
      `/usage/${id}`,
    )
    expect(row).toMatchObject({
      policy: 'priority',
      routing: { policy: 'priority', considered: [{ endpoint: row.endpoint, model: 'model-1' }, { model: 'model-1' }] },
      attempts: [{ provider: 'clouds', endpoint: row.endpoint }],
    })
    const found = await owner.read<{ items: object[] }>(`/usage?provider=clouds&endpoint=${row.endpoint}`)
    expect(found.items).toHaveLength(1)
    const { items } = await owner.read<{ items: { name: string; endpoints?: object[] }[] }>('/providers')
    const endpoints = items.find(({ name }) => name === 'clouds')?.endpoints
    expect(endpoints).toMatchObject([
      { name: 'eu', labels: { region: 'eu' } },
      { name: 'us', labels: { region: 'us' } },
    ])
    expect(endpoints).toContainEqual(expect.objectContaining({ state: 'healthy', calls: 1, failed: 0 }))
    const usage = await command(['usage'], { folder })
    expect(usage.stdout).toMatch(/ENDPOINT/)
  })

  it.each([
    [[], {}, 2, 'explain takes one model: headgate explain demo'],
    [['demo', 'more'], {}, 2, 'explain takes one model'],
    [['demo', '--url', 'http://127.0.0.1:9'], {}, 2, '--url needs an API key: set HEADGATE_API_KEY'],
    [['demo', '--url', 'localhost'], { HEADGATE_API_KEY: 'k' }, 2, '--url: found "localhost"; allowed: an address'],
    [['demo', '--url', 'http://127.0.0.1:9', '--key', 'ci'], { HEADGATE_API_KEY: 'k' }, 2, '--key applies without'],
    [['demo', '--url', 'http://127.0.0.1:9'], { HEADGATE_API_KEY: 'k' }, 1, 'http://127.0.0.1:9 cannot be reached: '],
    [['demo', '--key', 'unknown'], {}, 2, 'No key, or more than one, is named "unknown"'],
    [['no-such-model'], {}, 1, ''],
  ])('%o is a mistake, reported in one line', async (args, environment, code, message) => {
    const ended = await command(['explain', ...args], { folder: temporaryFolder(), environment })
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr).toContain(`headgate: ${message}`)
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  })
})

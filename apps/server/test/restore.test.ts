import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { places } from '../../../packages/store/test/support/processes.ts'
import { command, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

const HEADGATE_SECRET = 'secret-of-the-restored-gateway-0123456789'

/** Folder of a gateway with an upstream. */
async function folderWith(): Promise<string> {
  const { baseUrl } = await startUpstream()
  const mine = { adapter: 'openai-compatible', baseUrl, models: ['model-1'] }
  return temporaryFolder({
    'headgate.config.json': { providers: { mine }, prices: { 'mine/model-1': { input: 1, output: 2 } } },
  })
}

async function statusOf(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.text()
  return answer.status
}

describe.each(places)('The restore drill with $name', ({ url }) => {
  it('serves the same keys from a backup in a new store, which has the usage and takes more', async () => {
    const folder = await folderWith()
    const environmentOf = async () => {
      const databaseUrl = await url()
      return { HEADGATE_SECRET, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) }
    }
    const [before, after] = [await environmentOf(), await environmentOf()]
    const say = async (environment: Record<string, string>, ...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await command(args, { folder, environment })
      expect([code, stderr].join(), args.join(' ')).toMatch(/^0,/)
      return stdout + stderr
    }
    const key = /hg_\w+/.exec(await say(before, 'keys', 'create', '--name', 'team'))?.[0] ?? ''
    await say(before, 'keys', 'create', '--name', 'limited', '--budget', '5/day')
    const one = await start({ folder, environment: before, args: ['--no-print-key'] })
    expect(await statusOf(one.url, key)).toBe(200)
    const file = join(folder, 'headgate-backup.db')
    await say(before, 'backup', '--to', file)
    expect(await statusOf(one.url, key)).toBe(200)
    await one.stop()

    mkdirSync(join(folder, 'drill'))
    const drill = ['--data-dir', join(folder, 'drill')]
    expect(await say(after, 'restore', '--from', file, ...drill)).toMatch(/Restored \d+ rows from /)
    expect(await say(after, 'store', 'check', ...drill)).toContain('The store is intact')
    const again = await command(['restore', '--from', file, ...drill], { folder, environment: after })
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('The store is not empty')])

    const two = await start({ folder, environment: after, args: ['--no-print-key', ...drill] })
    expect(await statusOf(two.url, 'hg_unknown')).toBe(401)
    expect(await statusOf(two.url, key)).toBe(200)
    await two.stop()
    // Of the three requests, the second came after the backup.
    expect(await say(after, 'keys', 'list', ...drill)).toContain('team')
    expect(await say(after, 'budgets', 'list', ...drill)).toContain('$5')
    const rows = (await say(after, 'usage', '--ndjson', ...drill)).trim().split('\n')
    expect(rows).toHaveLength(2)
    expect(await say(after, 'store', 'check', ...drill)).toContain('The store is intact')
  })
})

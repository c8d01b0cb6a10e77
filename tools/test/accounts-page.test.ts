import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type GatewayProcess, startGateway } from '../../apps/server/test/sdk/gateway.ts'
import { fileOf } from '../docs/snippets.ts'
import { SNIPPETS } from './repository-pages.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const PAGE = SNIPPETS.filter(({ page }) => page === 'docs/accounts.md')
const ADDRESS = 'http://localhost:8787'

const marked = (word: string) => PAGE.filter(({ language, words }) => language === 'sh' && words.includes(word))

describe('docs/accounts.md', { tags: ['full'] }, () => {
  let workshop: Workshop
  let gateway: GatewayProcess | undefined
  beforeAll(() => {
    workshop = openWorkshop()
  })
  afterAll(async () => {
    await gateway?.end('SIGTERM')
    workshop.remove()
  })

  it('works as it stands: the first account, a key, its rotation and end, a budget, usage, a second person', async () => {
    for (const snippet of PAGE) {
      const file = fileOf(snippet)
      if (file !== undefined) writeFileSync(join(workshop.path, file), snippet.code)
    }
    const [start] = marked('start')
    expect(start?.code).toBe('npx --no-install headgate --no-print-key\n')
    gateway = await startGateway(workshop.path, ['--no-print-key'])
    await vi.waitUntil(() => existsSync(join(workshop.path, '.headgate/first-account-link')), { timeout: 60_000 })
    const script = marked('accounts').map(({ code }) => code)
    expect(script.length).toBeGreaterThan(7)
    const address = `http://localhost:${new URL(gateway.url).port}`
    const { stdout } = await workshop.shell(script.join('\n').replaceAll(ADDRESS, address), {}, 120_000)
    expect(stdout).toContain('"email":"ada@example.com"')
    expect(stdout).toContain('"email":"bob@example.com"')
    expect(stdout).toMatch(/eve@example\.com +Eve +viewer .* disabled/)
  }, 150_000)
})

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { adapterPackage } from '../../../packages/discovery/test/support/adapter-package.ts'
import { startInProcess } from './in-process.ts'
import type { Started } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

/** Who serves a chat. */
async function vendor({ url }: Started): Promise<string | null> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-local', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.text()
  return answer.headers.get('headgate-vendor')
}

describe('SIGHUP, where a provider is unwell', () => {
  it('does not forget it', async () => {
    let asked = 0
    const sick = createServer((_, response) => {
      asked++
      response.writeHead(503, { 'retry-after': '60' }).end()
    })
    onTestFinished(() => void sick.close())
    await once(sick.listen(0, '127.0.0.1'), 'listening')
    const upstream = await startUpstream()
    const provider = { adapter: 'openai-compatible', models: ['model-1'] }
    const providers = {
      sick: { ...provider, baseUrl: `http://127.0.0.1:${(sick.address() as AddressInfo).port}/v1` },
      mine: { ...provider, baseUrl: upstream.baseUrl },
    }
    const folder = temporaryFolder({ 'headgate.config.json': { keys: ['sk-local'], providers } })
    const gateway = await startInProcess({ folder })
    expect([await vendor(gateway), asked]).toEqual(['mine', 1])
    gateway.reload()
    await vi.waitUntil(() => gateway.output().includes('reloaded the configuration'), { timeout: 60_000 })
    expect([await vendor(gateway), asked]).toEqual(['mine', 1])
    await gateway.stop()
  })
})

describe('SIGHUP, where code has changed', () => {
  it('says what needs a restart: what a configuration in TypeScript imports, and a new version of an adapter', async () => {
    const version = (text: string) => adapterPackage('mine', { version: text })['mine/package.json']
    const folder = temporaryFolder({
      'headgate.config.ts': "import { keys } from './keys.ts'\nexport default { keys, providers: { mine: {} } }\n",
      'keys.ts': "export const keys = ['sk-local']\n",
      'package.json': { type: 'module', headgate: { adapters: ['mine'] } },
      ...adapterPackage('mine'),
    })
    const gateway = await startInProcess({ folder })
    writeFileSync(join(folder, 'mine/package.json'), JSON.stringify(version('2.0.0')))
    gateway.reload()
    await vi.waitUntil(() => gateway.output().includes('reloaded the configuration'), { timeout: 60_000 })
    const warnings = gateway
      .log()
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg)
    expect(warnings).toEqual([
      'mine 2.0.0 is installed, but 1.0.0 is running. Restart to use the new version.',
      `${join(folder, 'headgate.config.ts')} was reloaded, but its imports were not; restart to load them and any other new code`,
    ])
    await gateway.stop()
  })
})

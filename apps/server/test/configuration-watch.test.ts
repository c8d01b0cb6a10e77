import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { loadSettings } from '../src/config/settings.ts'
import { watchContent } from '../src/service/configuration-watch.ts'
import { startInProcess } from './in-process.ts'
import { startSignedIn } from './signed-in.ts'
import { temporaryFolder } from './temporary.ts'

/** Points a mounted folder to another version of its files, as Kubernetes does. */
function mount(folder: string, version: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, version))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, version, name), text)
  symlinkSync(version, join(folder, '..new'))
  renameSync(join(folder, '..new'), join(folder, '..data'))
}

const reference = (file: string) => `\${file:${file}}`
const CONFIG = JSON.stringify({ server: { watch: true }, keys: [{ key: reference('api-key'), name: 'mounted' }] })

describe('A configuration of mounted files', () => {
  it('is used within 5 seconds after its symbolic link changes, and a broken one is not', async () => {
    const folder = temporaryFolder()
    mount(folder, '..1', { 'headgate.config.json': CONFIG, 'api-key': 'sk-first-1234\n' })
    for (const name of ['headgate.config.json', 'api-key']) symlinkSync(`..data/${name}`, join(folder, name))
    const gateway = await startInProcess({ folder })
    const status = async (key: string) =>
      (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status
    expect([await status('sk-first-1234'), await status('sk-second-1234')]).toEqual([200, 401])

    mount(folder, '..2', { 'headgate.config.json': CONFIG, 'api-key': 'sk-second-1234\n' })
    await vi.waitUntil(() => gateway.output().includes('reloaded the configuration'), { timeout: 60_000 })
    expect([await status('sk-first-1234'), await status('sk-second-1234')]).toEqual([401, 200])

    mount(folder, '..3', { 'headgate.config.json': '{"server":{"watch":true},"keys":', 'api-key': 'sk-third-1234\n' })
    await vi.waitUntil(() => gateway.output().includes('the new configuration was not applied'), { timeout: 60_000 })
    expect([await status('sk-second-1234'), await status('sk-third-1234')]).toEqual([200, 401])
  })

  it('is looked at without a change while one of its files is missing', () => {
    vi.useFakeTimers()
    try {
      const folder = temporaryFolder({ 'a.json': {} })
      const file = join(folder, 'a.json')
      const onChange = vi.fn()
      const close = watchContent(() => [file], onChange)
      rmSync(file)
      vi.advanceTimersByTime(20_000)
      writeFileSync(file, '{}\n')
      vi.advanceTimersByTime(20_000)
      expect(onChange.mock.calls.length).toBeLessThanOrEqual(1)
      const before = onChange.mock.calls.length
      writeFileSync(file, '{ "keys": [] }')
      vi.advanceTimersByTime(20_000)
      expect(onChange.mock.calls.length).toBe(before + 1)
      close()
      writeFileSync(file, '{}')
      vi.advanceTimersByTime(20_000)
      expect(onChange.mock.calls.length).toBe(before + 1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('has a checksum in the management API', async () => {
    const { owner, folder } = await startSignedIn({ log: { level: 'info' } })
    const checksum = createHash('sha256')
      .update(readFileSync(join(folder, 'headgate.config.json')))
      .digest('hex')
    expect(await owner.read('/configuration')).toEqual({ checksum, loadedAt: expect.any(Number) })
  })
})

describe('A reference to a secret file', () => {
  const load = (config: object, files: Readonly<Record<string, string>> = {}) =>
    loadSettings({}, { folder: temporaryFolder({ 'headgate.config.json': config, ...files }), environment: {} })

  it('is replaced by the content without its last line break', async () => {
    const { keys } = await load({ keys: [reference('secrets/key')] }, { 'secrets/key': 'sk-local-1234\r\n' })
    expect(keys).toEqual([{ key: 'sk-local-1234' }])
  })

  it.each([
    ['nothing', /nothing does not exist$/m],
    ['.', /cannot be read: EISDIR$/m],
    ['empty', /empty is empty$/m],
    ['large', /large has more than 65536 bytes$/m],
  ])('%s is refused with the field', async (file, message) => {
    const files = { empty: '\n', large: 'x'.repeat(70_000) }
    const error = await load({ keys: [{ key: reference(file), name: 'a' }] }, files).catch(
      ({ message }: Error) => message,
    )
    expect(error).toContain('keys[0].key: the file ')
    expect(error).toMatch(message)
  })
})

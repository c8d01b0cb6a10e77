import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const SAID = 'was removed or replaced while in use'

describe('The data directory', () => {
  it.each([
    ['removed', (data: string) => rmSync(data, { recursive: true })],
    ['put elsewhere', (data: string) => renameSync(data, `${data}-old`)],
  ])('that is %s under a running gateway is noticed: the log says so once, and it is not ready', async (_, change) => {
    const folder = temporaryFolder()
    const gateway = await startInProcess({ folder, environment: { HEADGATE_API_KEYS: 'sk-local' } })
    change(join(folder, '.headgate'))
    await vi.waitUntil(() => gateway.output().includes(SAID), { timeout: 60_000 })
    // Another one in its place is not the one that the program has open.
    await command(['keys', 'create'], { folder })
    const ready = await fetch(`${gateway.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      503,
      expect.objectContaining({ reasons: ['the data directory was removed or replaced'] }),
    ])
    expect(gateway.log().filter(({ msg }) => String(msg).includes(SAID))).toEqual([
      expect.objectContaining({ level: 50, msg: expect.stringContaining(join(folder, '.headgate')) }),
    ])
    await gateway.stop()
  })
})

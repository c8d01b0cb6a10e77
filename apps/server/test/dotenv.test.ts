import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const ENV = 'HEADGATE_API_KEYS=sk-of-the-file\nexport LOG_LEVEL="warn" # quiet\nHEADGATE_DATA_DIR=elsewhere\n'

describe('A file .env in the folder of the command', () => {
  const gives = async (args: readonly string[]): Promise<void> => {
    const folder = temporaryFolder({ '.env': ENV })
    const gateway = await start({ folder, args, environment: { HEADGATE_DATA_DIR: 'mine' } })
    expect(
      (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: 'Bearer sk-of-the-file' } })).status,
    ).toBe(200)
    await gateway.stop()
    expect(gateway.output()).toContain(`env file   ${join(folder, '.env')} (2 variables)\n`)
    expect(gateway.output()).toContain(`data       ${join(folder, 'mine')}\n`)
    expect(gateway.output()).not.toContain('sk-of-the-file')
  }

  it('gives what the environment does not, and is named without its values', () => gives([]))

  it('gives it to workers', { tags: ['full'] }, () => gives(['--workers', '2']))

  it('counts for every command', async () => {
    const folder = temporaryFolder({ '.env': ENV })
    expect((await run(['keys', 'create'], { folder })).stderr).toContain(`in ${join(folder, 'elsewhere')}.`)
  })

  it('is not needed, and a folder of that name is none', async () => {
    for (const folder of [temporaryFolder(), temporaryFolder({ '.env/a': '' })])
      expect(await run(['config', 'check'], { folder })).toMatchObject({ code: 0, stderr: '' })
  })

  it('is left alone where somebody else may have put it there, which is said', {
    skip: process.geteuid?.() !== 0,
    timeout: 120_000,
  }, async () => {
    const folder = temporaryFolder({ '.env': 'PORT=many\n' })
    chmodSync(folder, 0o777)
    const { chownSync } = await import('node:fs')
    chownSync(join(folder, '.env'), 12_345, 12_345)
    const { code, stderr } = await run(['config', 'check'], { folder })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^headgate: \S+\.env was not read: .* belongs to another user \(uid 12345\), in a folder that all users can write to\.\n$/,
    )
  })
})

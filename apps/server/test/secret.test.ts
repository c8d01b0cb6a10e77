import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findSecret } from '@headgate/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const GIVEN = 'a-zebra-that-is-long-enough-0123456789'
const OTHER = 'another-zebra-that-is-long-enough-9876'

function signatureOf(environment: Record<string, string>, dataDir: string): string {
  return findSecret(environment, dataDir).subKeys('test').sign([], 1)
}

describe('The secret', () => {
  it('is made by the first start in the data directory, for its owner alone, and stays the same', async () => {
    const folder = temporaryFolder()
    const gateway = await startInProcess({ folder })
    const file = join(folder, '.headgate/secret')
    const made = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Buffer.from(made, 'base64')).toHaveLength(32)
    await gateway.stop()
    expect(gateway.output()).not.toContain(made.trim())
    expect(signatureOf({}, join(folder, '.headgate'))).toBe(signatureOf({ HEADGATE_SECRET: made }, folder))
    expect(readFileSync(file, 'utf8')).toBe(made)
    expect(gateway.output()).not.toContain('chmod')
    chmodSync(file, 0o644)
    const again = await startInProcess({ folder })
    await again.stop()
    expect(again.output()).toContain(`can read the secret ${file} (mode 644). Run: chmod 600 ${file}`)
  })

  it('is one for all processes that start at once', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const makers = Array.from({ length: 3 }, () => {
      const child = spawn(process.execPath, [
        '--conditions=@headgate/source',
        join(import.meta.dirname, 'secret-maker.ts'),
        dataDir,
      ])
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    })
    await Promise.all(makers.map(({ stdout }) => once(stdout, 'data')))
    const signatures = makers.map(({ stdin, stdout }) => {
      stdin.write('go\n')
      return text(stdout)
    })
    expect(new Set(await Promise.all(signatures)).size).toBe(1)
    expect(readdirSync(dataDir)).toEqual(['secret'])
  })

  it('comes from HEADGATE_SECRET where it is set, and no file is made', () => {
    const dataDir = temporaryFolder()
    expect(signatureOf({ HEADGATE_SECRET: `${GIVEN},${OTHER}` }, dataDir)).toBe(
      signatureOf({ HEADGATE_SECRET: GIVEN }, dataDir),
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  it.each([
    [
      'too short',
      { HEADGATE_SECRET: 'zebra' },
      'HEADGATE_SECRET: The secret is 5 characters long; at least 32 are required.',
    ],
    ['missing with DATABASE_URL', { DATABASE_URL: 'postgres://u:zebra@127.0.0.1:1/x' }, 'HEADGATE_SECRET is required'],
  ])('that is %s stops the start, which says what to do and does not show it', async (_, environment, message) => {
    const folder = temporaryFolder()
    const { code, stderr, stdout } = await command(['--port', '0'], { folder, environment })
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(stderr + stdout).not.toContain('zebra')
  })

  it('that is damaged in its file stops the start', async () => {
    const folder = temporaryFolder({ '.headgate/secret': 'zebra\n' })
    const { code, stderr } = await command(['--port', '0'], { folder })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\.headgate\/secret: The secret is 5 characters long/)])
    expect(stderr).not.toContain('zebra')
  })
})

describe('headgate doctor', () => {
  const secretLine = async (folder: string, environment: Record<string, string> = {}): Promise<string> => {
    const { stdout, stderr } = await command(['doctor', '--data-dir', '.'], { folder, environment })
    expect(stdout + stderr).not.toContain('zebra')
    return /^.* secret +.*(?:\n +.*)*/m.exec(stdout)?.[0] ?? ''
  }

  it('says where the secret comes from, never what it is', async () => {
    const folder = temporaryFolder()
    expect(await secretLine(folder)).toMatch(/^ok .*secret will be created at the first start/)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(join(folder, 'secret'), GIVEN, { mode: 0o600 })
    expect(await secretLine(folder)).toMatch(/^ok .*comes from .*\/secret$/)
    expect(await secretLine(folder, { HEADGATE_SECRET: GIVEN })).toMatch(
      /^note .*comes from HEADGATE_SECRET; .*secret is not used/,
    )
    expect(await secretLine(folder, { HEADGATE_SECRET: 'zebra' })).toMatch(/^wrong .*5 characters long/)
    expect(await secretLine(folder, { DATABASE_URL: 'postgres://127.0.0.1/x' })).toMatch(
      /^wrong [\s\S]*openssl rand -base64 32/,
    )
  })

  it('says that others may read the file of the secret', async () => {
    const folder = temporaryFolder({ secret: GIVEN })
    chmodSync(join(folder, 'secret'), 0o640)
    expect(await secretLine(folder)).toMatch(/^wrong .*\(mode 640\)[\s\S]*chmod 600/)
  })
})

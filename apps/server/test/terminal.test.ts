import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '@headgate/store'
import { describe, expect, it } from 'vitest'
import { usageRow } from '../../../packages/store/test/usage-row.ts'
import { runCommandLine } from '../src/commands/line.ts'
import { createLog } from '../src/service/log.ts'
import { withArchive } from './stored.ts'
import { temporaryFolder } from './temporary.ts'

/** Clears the screen, sets the title, moves the cursor by C1, deletes, reorders, begins a line anew, and one more. */
const HOSTILE = 'a\u001b[2J\u001b]0;x\u0007\u009b1A\u007f\u202eb\rc\nd'
/** The same, as it is shown in a table. */
const SHOWN = 'a\\u001b[2J\\u001b]0;x\\u0007\\u009b1A\\u007f\\u202eb\\u000dc\\u000ad'
/** What a terminal obeys beside the end of a line. */
const OBEYED = /[^\P{Cc}\n]|\p{Bidi_Control}/u

async function run(args: string[], folder: string): Promise<{ code: number; out: string; error: string }> {
  const written = { out: '', error: '' }
  const code = await runCommandLine({
    args,
    folder,
    environment: {},
    print: (text) => {
      written.out += text
    },
    note: (text) => {
      written.error += text
    },
  })
  return { code, ...written }
}

describe('What a terminal would obey', () => {
  it('is spelled out where a caller has put it into the name of a model', async () => {
    const folder = temporaryFolder()
    const { ledger } = await openStore({ dataDir: folder, onProblem: () => {} })
    await ledger.settle(usageRow({ model: HOSTILE, provider: HOSTILE, why: HOSTILE }))
    ledger.abandon()
    const { out } = await run(['usage', '--data-dir', '.'], folder)
    expect(out).not.toMatch(OBEYED)
    expect(out.split(SHOWN)).toHaveLength(4)
    expect(out.trim().split('\n')).toHaveLength(2)
  })

  it('is spelled out in the names of keys', async () => {
    const folder = temporaryFolder()
    await withArchive(folder, ({ keys }) => keys.create({ name: 'a name', models: [HOSTILE] }))
    const db = new DatabaseSync(join(folder, 'headgate.db'))
    db.prepare('UPDATE keys SET name = ?').run(HOSTILE)
    db.close()
    const { out } = await run(['keys', 'list', '--data-dir', '.'], folder)
    expect(out).not.toMatch(OBEYED)
    expect(out.split(SHOWN)).toHaveLength(3)
  })

  it('is spelled out in the names of people and projects, whoever has written them', async () => {
    const folder = temporaryFolder()
    const add = (email: string, name: string) => run(['users', 'add', email, '--name', name, '--data-dir', '.'], folder)
    const refused = await add('eve@example.com', HOSTILE)
    expect([refused.code, refused.error]).toEqual([
      1,
      expect.stringContaining('`name` must not contain invisible characters'),
    ])
    expect(refused.error).not.toMatch(OBEYED)
    expect((await add('eve@example.com', "=cmd|'/C calc'!A0")).code).toBe(0)
    const db = new DatabaseSync(join(folder, 'headgate.db'))
    db.prepare('UPDATE projects SET name = ?').run(HOSTILE)
    db.prepare('UPDATE people SET name = name || ?').run(' \u202e')
    db.close()
    const [users, projects] = [
      await run(['users', 'list', '--data-dir', '.'], folder),
      await run(['projects', 'list', '--data-dir', '.'], folder),
    ]
    expect(users.out).toContain(" =cmd|'/C calc'!A0 \\u202e ")
    expect(projects.out).toContain(SHOWN)
    for (const { out } of [users, projects])
      expect([OBEYED.test(out), out.trim().split('\n').length]).toEqual([false, 2])
  })

  it.each([
    ['adapters', ['adapters']],
    ['config check', ['config', 'check']],
    ['doctor', ['doctor', '--data-dir', 'data']],
  ])('is spelled out in the configuration and in files of others: %s', async (_, args) => {
    const name = JSON.stringify(HOSTILE)
    const folder = temporaryFolder({
      'headgate.config.json': `{ "providers": { ${name}: { "adapter": "demo" } }, "search": { "engines": { ${name}: { "backend": "none" } } } }`,
    })
    const { out, error } = await run(args, folder)
    expect(out + error).toContain('a\\u001b[2J')
    expect(out + error).not.toMatch(OBEYED)
  })

  it('is spelled out in what is wrong with a command line', async () => {
    const { code, error } = await run(['keys', 'create', '--expires', HOSTILE], temporaryFolder())
    expect(code).toBe(2)
    expect(error).not.toMatch(OBEYED)
  })

  it('is spelled out in the log, whose lines stay the same values', () => {
    const lines: string[] = []
    const log = createLog('info', { stream: { write: (line) => void lines.push(line) } })
    log.access({
      requestId: 'req_1',
      method: 'POST',
      path: `/v1/${HOSTILE}`,
      status: 200,
      durationMs: 1,
      usage: usageRow({ model: HOSTILE }),
    })
    log.logger.warn(HOSTILE)
    log.flush()
    const text = lines.join('')
    expect(text).not.toMatch(OBEYED)
    const values = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(values).toContainEqual(expect.objectContaining({ msg: 'request', model: HOSTILE, path: `/v1/${HOSTILE}` }))
    expect(values).toContainEqual(expect.objectContaining({ msg: HOSTILE }))
  })
})

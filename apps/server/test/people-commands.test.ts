import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { openFile } from './stored.ts'
import { temporaryFolder } from './temporary.ts'

const LINK = /^http:\/\/localhost:8787\/#\/(first|reset)\?token=[\w-]{43}\n$/

/** A command that succeeds, without the data directory that it is in. */
async function say(folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await command(args, { folder })
  expect([code, stderr].join(), args.join(' ')).toMatch(/^0,/)
  return stdout
}

describe('People, without a browser,', () => {
  it('are made, listed, given another password, and kept out', async () => {
    const folder = temporaryFolder()
    expect(await say(folder, 'users', 'first-link')).toMatch(LINK)
    expect(await say(folder, 'users', 'first-link', '--port', '80')).toMatch(/^http:\/\/localhost:80\//)
    expect(await say(folder, 'users', 'add', 'Ada@Example.com', '--name', 'Ada')).toMatch(LINK)
    expect(await say(folder, 'users', 'add', 'bob@example.com', '--role', 'viewer')).toMatch(LINK)
    const list = await say(folder, 'users', 'list')
    expect(list).toMatch(/^ID +MAIL +NAME +ROLE +CREATED +PASSWORD +STATE\n/)
    expect(list).toMatch(/\nper_\w+ +ada@example\.com +Ada +owner +\S+ +no +active\n/)
    expect(list).toMatch(/\nper_\w+ +bob@example\.com +bob +viewer +\S+ +no +active\n/)
    expect(await say(folder, 'users', 'reset', 'BOB@example.com')).toMatch(LINK)
    await say(folder, 'users', 'disable', 'bob@example.com')
    expect(await say(folder, 'users', 'list')).toMatch(/bob@example\.com .* disabled \d{4}-\d\d-\d\d\n/)
    await say(folder, 'users', 'disable', 'bob@example.com', '--undo')
    expect(await say(folder, 'users', 'list')).not.toContain('disabled')
  })

  it.each([
    [['users', 'first-link'], 'An account already exists. Add another one with `headgate users add`.'],
    [['users', 'add'], 'users add takes one mail address.'],
    [['users', 'add', 'x'], 'mail address'],
    [
      ['users', 'add', 'x@example.com', '--role', 'king'],
      '--role: found "king"; allowed: owner, admin, member, viewer',
    ],
    [['users', 'reset', 'nobody@example.com'], 'No user has the id or mail address "nobody@example.com"'],
    [['projects', 'archive', 'Nothing'], 'There is no project "Nothing". Projects: default.'],
    [['keys', 'create', '--project', 'Nothing'], 'There is no project "Nothing"'],
    [['keys', 'rotate', 'nothing'], 'No key, or more than one, is named "nothing"'],
    [['keys', 'rotate', 'one', '--overlap', 'soon'], '--overlap: found "soon"; allowed: 24h, 7d, 30m, 10s or 0'],
  ])('%j says what is wrong', async (args, message) => {
    const folder = temporaryFolder()
    await say(folder, 'users', 'add', 'ada@example.com')
    const { code, stderr } = await command(args, { folder })
    expect(code).toBeGreaterThan(0)
    expect(stderr).toContain(message)
  })

  it('are led to the gateway that runs with their data, on whichever port', async () => {
    const folder = temporaryFolder()
    const { url, end } = await startInProcess({ folder })
    const port = new URL(url).port
    expect(port).not.toBe('8787')
    expect(await say(folder, 'users', 'first-link')).toContain(`http://localhost:${port}/#/first?token=`)
    expect(await say(folder, 'users', 'first-link', '--port', '80')).toMatch(/^http:\/\/localhost:80\//)
    await end()
    expect(await say(folder, 'users', 'first-link')).toMatch(LINK)
    // A gateway that was killed leaves its note.
    writeFileSync(join(folder, '.headgate/running-address'), `${url}\n`)
    expect(await say(folder, 'users', 'first-link')).toMatch(LINK)
  })

  it('are led to where the configuration says', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { accounts: { publicUrl: 'https://headgate.example' } } })
    expect(await say(folder, 'users', 'first-link')).toMatch(/^https:\/\/headgate\.example\/#\/first\?token=/)
    const none = temporaryFolder({ 'headgate.config.json': { accounts: false } })
    const { code, stderr } = await command(['users', 'list'], { folder: none })
    expect([code, stderr]).toEqual([1, 'headgate: Accounts are disabled: `accounts` is false in the configuration.\n'])
  })
})

describe('Commands', () => {
  it('that change, copy or show something are in the audit log, and a rebuild ends what a check finds', async () => {
    const folder = temporaryFolder({
      'headgate.config.json': { budgets: { alerts: { url: 'https://alerts.example' } } },
    })
    await say(folder, 'keys', 'create', '--name', 'ci')
    await say(folder, 'budgets', 'set', 'key:ci', '5/day')
    await say(folder, 'budgets', 'set', 'key:ci', '6/day')
    const id = /^(bud\w+|\S+) +\$6/m.exec(await say(folder, 'budgets'))?.[1] ?? ''
    await say(folder, 'budgets', 'remove', id)
    await say(folder, 'budgets', 'alert-secret')
    await say(folder, 'keys', 'callback-secret', 'ci')
    await say(folder, 'backup', '--to', join(folder, 'copy.db'))
    const missing = await command(['backup', '--to', join(folder, 'missing', 'copy.db')], { folder })
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^headgate: The backup .* there is no such folder\. .*\n$/),
    ])
    const database = openFile(join(folder, '.headgate'))
    const columns = database.prepare('PRAGMA table_info(usage_key_status_days)').all().length
    const measures = Array(columns - 4).fill('1')
    database.exec(`INSERT INTO usage_key_status_days SELECT '2026-01-01', 'k', 'chat', 200, ${measures.join(', ')}`)
    const wrong = await command(['store', 'check'], { folder })
    expect([wrong.code, wrong.stderr]).toEqual([1, 'headgate: The store has 1 faults. Run `headgate store rebuild`.\n'])
    expect(await say(folder, 'store', 'rebuild')).toBe(
      'Rebuilt 0 hours and 1 days of usage, and corrected 0 budget windows.\n',
    )
    expect(await say(folder, 'store', 'check')).toContain('The store is intact')
    const rows = database
      .prepare(
        "SELECT action, target, actor_kind, organization FROM audit WHERE action NOT LIKE 'key.create' ORDER BY id",
      )
      .all()
    expect(new Set(rows.map((row) => `${row['actor_kind']} ${row['organization']}`))).toEqual(
      new Set(['system org_default']),
    )
    expect(rows.map(({ action }) => action)).toEqual([
      ...[
        'budget.create',
        'budget.change',
        'budget.remove',
        'alert.secret',
        'key.callback-secret',
        'store.backup',
        'store.rebuild',
      ],
    ])
    expect(rows.slice(0, 3).map(({ target }) => target)).toEqual([id, id, id])
  })
})

describe('Projects', () => {
  it('have keys, and take no new ones once they are archived', async () => {
    const folder = temporaryFolder()
    const early = await command(['projects', 'create', 'Website'], { folder })
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringContaining('There are no projects before the first account'),
    ])
    await say(folder, 'users', 'add', 'ada@example.com')
    const id = (await say(folder, 'projects', 'create', 'Website')).trim()
    expect(id).toMatch(/^prj_/)
    await say(folder, 'keys', 'create', '--name', 'web', '--project', 'Website', '--environment', 'staging')
    await say(folder, 'keys', 'create', '--name', 'other')
    const own = await say(folder, 'keys', 'list', '--project', id)
    expect(own).toMatch(new RegExp(`\\nkey_\\w+ +hg_s_\\S+ +web +${id} +staging `))
    expect(own).not.toContain('other')
    await say(folder, 'projects', 'archive', 'Website')
    expect(await say(folder, 'projects', 'list')).toMatch(/Website .* archived \d{4}/)
    const late = await command(['keys', 'create', '--project', id], { folder })
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('archived')])
  })
})

describe('A key', () => {
  it('is given another secret, for a while beside the one before', async () => {
    const folder = temporaryFolder()
    const first = await say(folder, 'keys', 'create', '--name', 'ci')
    const { stdout, stderr } = await command(['keys', 'rotate', 'ci', '--overlap', '24h'], { folder })
    expect(stdout).toMatch(/^hg_p_\w{36}\n$/)
    expect(stdout).not.toBe(first)
    expect(stderr).toMatch(/^Rotated key key_\w+\. The old secret works until \d{4}-\S+Z\./)
    expect((await command(['keys', 'rotate', 'ci', '--overlap', '0'], { folder })).stderr).toContain('ended now')
  })
})

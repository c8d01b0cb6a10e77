import { writeFileSync } from 'node:fs'
import { uuidv7 } from '@headgate/gateway/ports'
import { configuredKeyId, openStore } from '@headgate/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { command } from './program.ts'
import { openFile } from './stored.ts'
import { temporaryFolder } from './temporary.ts'

const CELLS = / {2,}/
const KEY = configuredKeyId('sk-local-a')

/** Rows of `headgate budgets`, without headings. */
async function budgetsIn(folder: string): Promise<string[][]> {
  const { code, stdout, stderr } = await command(['budgets'], { folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(CELLS))
}

describe('headgate keys create', () => {
  it('makes a key with budgets, exact to the nano-dollar, and with limits', async () => {
    const folder = temporaryFolder()
    const budgets = [
      '--budget',
      '5/day@Europe/Berlin',
      '--budget',
      '0.000000001/week',
      '--budget',
      'soft:9223372036.854775807',
    ]
    const { code } = await command(
      ['keys', 'create', '--name', 'ci', ...budgets, '--rpm', '60', '--tpm', '10000', '--concurrent', '4'],
      {
        folder,
      },
    )
    expect(code).toBe(0)
    const limits = (await budgetsIn(folder)).map(([, , scope, owner, kind, limit, spent, , left]) => [
      scope,
      owner,
      kind,
      limit,
      spent,
      left,
    ])
    const owner = expect.stringMatching(/^key_\w{10} \(ci\)$/)
    expect(limits.sort()).toEqual(
      [
        ['key', owner, 'hard', '5.00', '0.00', '5.00'],
        ['key', owner, 'hard', '0.000000001', '0.00', '0.000000001'],
        ['key', owner, 'soft', '9223372036.854775807', '0.00', '9223372036.854775807'],
      ].sort(),
    )
    const { stdout } = await command(['keys', 'list'], { folder })
    for (const text of ['5/day@Europe/Berlin', '0.000000001/week@UTC', 'soft:9223372036.854775807'])
      expect(stdout).toContain(text)
    expect(stdout).toMatch(/ rpm 60, tpm 10000, concurrent 4\n$/)
  })
})

describe('headgate budgets', () => {
  it('sets a budget anew that has the same owner, period and kind, and makes one that has not', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': { keys: [{ key: 'sk-local-a', name: 'laptop' }] } })
    const set = async (...args: string[]) => (await command(['budgets', 'set', ...args], { folder })).stderr
    expect(await set('key:laptop', '5/day')).toMatch(
      /^Created budget budget_\w{10}: 5\/day@UTC for key configured_\w{8}\.\n$/,
    )
    expect(await set('key:laptop', '7.50/day')).toMatch(
      /^Budget budget_\w{10} of key \w+ is now 7\.50\/day@UTC; it was 5\/day@UTC\.\n$/,
    )
    expect(await set('key:laptop', '6/day', '--soft', '--count', 'cost')).toMatch(
      /^Created budget budget_\w{10}: soft:6\/day@UTC \(cost\) for/,
    )
    expect(await set('project:web app', '20', '--name', 'the web app')).toMatch(
      /^Created budget budget_\w{10}: 20 for project web app\.\n$/,
    )
    expect(await set('organization', '1000/month@Asia/Tokyo')).toMatch(
      /: 1000\/month@Asia\/Tokyo for organization org_default\.\n$/,
    )
    const rows = await budgetsIn(folder)
    expect(rows.map((row) => row.slice(1, 6)).sort()).toEqual(
      [
        ['$7.50 a day', 'key', expect.stringMatching(/^configured_\w{8} \(laptop\)$/), 'hard', '7.50'],
        ['$6 a day', 'key', expect.stringMatching(/^configured_\w{8} \(laptop\)$/), 'soft, cost', '6.00'],
        ['the web app', 'project', 'web app', 'hard', '20.00'],
        ['$1000 a month', 'organization', 'org_default', 'hard', '1000.00'],
      ].sort(),
    )
    const id = rows.find(([, name]) => name === 'the web app')?.[0] ?? ''
    expect(await set('project:web app', '30/week', '--id', id)).toContain(
      `Budget ${id} of project web app is now 30/week@UTC; it was 20.`,
    )
    const removed = await command(['budgets', 'remove', id], { folder })
    expect(removed.stderr).toBe(`Removed budget ${id} (the web app) of project web app.\n`)
    expect((await budgetsIn(folder)).map(([, name]) => name)).not.toContain('the web app')
  })

  it('leaves those of the configuration to it', async () => {
    const folder = temporaryFolder()
    const store = await openStore({ dataDir: `${folder}/.headgate`, onProblem: () => {} })
    await store.budgets.configure([
      { id: 'config:project:web:day', scope: 'project', owner: 'web', limit: 5n, period: 'day' },
    ])
    await store.close()
    const message = 'headgate: Budget config:project:web:day comes from the configuration: change it there.\n'
    for (const args of [
      ['remove', 'config:project:web:day'],
      ['set', 'project:web', '7/day', '--id', 'config:project:web:day'],
    ])
      expect(await command(['budgets', ...args], { folder })).toEqual({ code: 2, stdout: '', stderr: message })
    const set = await command(['budgets', 'set', 'project:web', '7/day'], { folder })
    expect(set.stderr).toMatch(/^Created budget budget_/)
  })
})

/** A store in which a process holds money that is gone for ever, with its folder. */
async function storeInDoubt(): Promise<{ folder: string; life: string }> {
  const folder = temporaryFolder()
  const dataDir = `${folder}/.headgate`
  const store = await openStore({ dataDir, onProblem: () => {} })
  await store.budgets.set({ id: 'five', scope: 'project', owner: 'web', limit: 5_000_000_000n, period: 'forever' })
  await store.close()
  const life = '01900000-0000-7000-8000-000000000001'
  const file = openFile(dataDir)
  file
    .prepare('INSERT INTO process_runs (id, node, seen_at, state) VALUES (?, ?, ?, ?)')
    .run(life, 'other-machine', 1_700_000_000_000, 'orphaned')
  file
    .prepare(
      'INSERT INTO budget_windows (budget, win, starts_at, ends_at, spent, leased, recall) VALUES (?, ?, 0, NULL, 500000000, ?, 0)',
    )
    .run('five', 'forever', 1_500_000_000)
  file
    .prepare(
      'INSERT INTO budget_leases (budget, win, run, granted, used, seq, delta, answered) VALUES (?, ?, ?, ?, ?, 1, 0, 0)',
    )
    .run('five', 'forever', life, 2_000_000_000, 500_000_000)
  return { folder, life }
}

describe('headgate budgets orphaned', () => {
  it('lists processes that are silent, and what they hold', async () => {
    const empty = await command(['budgets', 'orphaned'], { folder: temporaryFolder() })
    expect(empty).toEqual({ code: 0, stdout: 'There are no orphaned leases: no process is silent.\n', stderr: '' })
    const { folder, life } = await storeInDoubt()
    const { stdout } = await command(['budgets', 'orphaned'], { folder })
    expect(stdout).toMatch(
      new RegExp(`${life} +other-machine +2023-11-14T22:13:20.000Z +over +five +\\$5 +forever +1\\.50\n$`),
    )
  })

  it.each([
    ['mark-spent', 'Counted as spent', ['2.00', '0.00', '3.00']],
    ['free', 'Freed', ['0.50', '0.00', '4.50']],
  ])('are ended by %s', async (word, done, sums) => {
    const { folder, life } = await storeInDoubt()
    const { code, stderr } = await command(['budgets', word, life], { folder })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`${done}: $1.50 of budget five, $5, in forever.`),
    })
    expect((await command(['budgets', 'orphaned'], { folder })).stdout).toContain('no orphaned leases')
    expect((await budgetsIn(folder)).map((row) => row.slice(6, 9))).toEqual([sums])
    expect(await command(['budgets', word, life], { folder })).toMatchObject({ code: 2 })
  })

  it('are listed and released as held amounts once they count as spent, and the audit log names the machine', async () => {
    const { folder, life } = await storeInDoubt()
    await command(['budgets', 'mark-spent', life], { folder })
    const { stdout } = await command(['budgets', 'held'], { folder })
    expect(stdout).toContain('budget five')
    expect(stdout).toContain('no heartbeat from other-machine since 2023-11-14T22:13:20.000Z')
    const [id = ''] = stdout.split('\n')[1]?.split(' ') ?? []
    expect(await command(['budgets', 'release', id], { folder })).toEqual({
      code: 0,
      stdout: '',
      stderr: `Released $1.50, which budgets held for process ${life} of other-machine.\n`,
    })
    expect((await budgetsIn(folder)).map((row) => row.slice(6, 9))).toEqual([['0.50', '0.00', '4.50']])
    expect((await command(['budgets', 'held'], { folder })).stdout).toContain('no amounts')
  })

  it('does not end one that is alive', async () => {
    const folder = temporaryFolder()
    const dataDir = `${folder}/.headgate`
    const store = await openStore({ dataDir, onProblem: () => {} })
    onTestFinished(() => store.close())
    await store.budgets.set({ scope: 'key', owner: 'key_1', limit: 5_000_000_000n, period: 'forever' })
    const ask = { id: 'row', bound: 1_000, at: Date.now(), family: 'chat', format: 'chat-completions', priceId: null }
    const names = { model: 'm', provider: 'p', providerModel: 'm' }
    expect(await store.budgets.reserve({ ...ask, ...names, principal: { id: 'key_1' } })).toBe(undefined)
    const file = openFile(dataDir)
    file.exec('UPDATE process_runs SET seen_at = 0')
    const [{ id: life }] = file.prepare('SELECT id FROM process_runs').all() as [{ id: string }]
    const ended = await command(['budgets', 'mark-spent', life], { folder })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('has no orphaned leases: it is running') })
    store.budgets.release('row')
  })
})

/** A store in which two requests of a key failed after they were sent, at 10 cents each. */
async function storeWithHeld(): Promise<{ folder: string; ids: readonly string[] }> {
  const folder = temporaryFolder({ 'headgate.config.json': { keys: [{ key: 'sk-local-a', name: 'laptop' }] } })
  const store = await openStore({ dataDir: `${folder}/.headgate`, onProblem: () => {} })
  await store.budgets.set({ scope: 'key', owner: KEY, limit: 5_000_000_000n, period: 'forever' })
  const names = {
    family: 'chat',
    format: 'chat-completions',
    model: 'm',
    provider: 'mine',
    providerModel: 'model-1',
    priceId: null,
  }
  const ids = [uuidv7(), uuidv7()]
  for (const id of ids) {
    const at = Date.now()
    await store.budgets.reserve({ ...names, id, bound: 100_000_000, at, principal: { id: KEY } })
    const attempt = {
      provider: 'mine',
      model: 'model-1',
      startedAt: at,
      durationMs: 1,
      failure: 'timeout',
      cost: null,
      priceId: null,
    } as const
    await store.ledger.settle({
      ...names,
      id,
      requestId: `req_${id}`,
      principal: KEY,
      stream: false,
      translated: false,
      status: 500,
      cost: null,
      charged: 0,
      billed: false,
      why: 'failed',
      failure: 'timeout',
      losses: [],
      startedAt: at,
      durationMs: 1,
      attempts: [attempt],
    })
  }
  await store.close()
  return { folder, ids }
}

describe('headgate budgets held', () => {
  it('lists what budgets hold by key; release gives one amount back, and the audit log has it', async () => {
    const { folder, ids } = await storeWithHeld()
    const { stdout } = await command(['budgets', 'held', '--key', 'laptop'], { folder })
    for (const id of ids)
      expect(stdout).toMatch(new RegExp(`${id} +${KEY} \\(laptop\\) +\\S+Z +mine/model-1 +failed +0\\.10\n`))
    const released = await command(['budgets', 'release', ids[0] ?? ''], { folder })
    expect(released).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Released $0.10, which budgets held for request req_'),
    })
    expect(await command(['budgets', 'release', ids[0] ?? ''], { folder })).toMatchObject({ code: 2 })
    expect((await command(['budgets', 'held'], { folder })).stdout).not.toContain(ids[0])
    expect((await budgetsIn(folder))[0]?.slice(6)).toEqual(['0.10', '0.00', '4.90', 'never'])
    const lines = openFile(`${folder}/.headgate`)
      .prepare("SELECT action, target, after FROM audit WHERE action = 'budget.release'")
      .all()
    expect(lines).toMatchObject([{ target: ids[0], after: expect.stringContaining('"held":"100000000"') }])
    expect(await command(['store', 'check'], { folder })).toMatchObject({ code: 0 })
  })

  it('is settled by a bill: what it charges beyond the known costs is booked, the rest is released', async () => {
    const { folder } = await storeWithHeld()
    const results = [
      { amount: '3', currency: 'USD', cost_type: 'tokens', description: 'Model 1 Usage', model: 'model-1' },
    ]
    const day = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
    writeFileSync(`${folder}/bill.json`, JSON.stringify({ data: [{ starting_at: day, ending_at: day, results }] }))
    const reconcile = (...more: string[]) =>
      command(['reconcile', 'bill.json', '--provider', 'mine', ...more], { folder })
    expect((await reconcile()).stderr).toContain(
      'Budgets hold $0.20 for 2 requests of unknown cost on these days. Settle them with --settle.',
    )
    expect((await reconcile('--settle')).stderr).toContain(
      'Settled 2 requests: charged $0.03 of the $0.20 held for them.',
    )
    expect((await reconcile('--settle')).stderr).toContain('Settled 0 requests')
    expect((await budgetsIn(folder))[0]?.slice(6)).toEqual(['0.03', '0.00', '4.97', 'never'])
    expect(await command(['store', 'check'], { folder })).toMatchObject({ code: 0 })
  })
})

import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ChainCheck, VerifiedUpTo } from '../src/audit/verify.ts'
import { FIRST_ORGANIZATION } from '../src/database/ids.ts'
import { claim, describeStores, type Opened, SYSTEM, stores } from './support/opened.ts'

const DAY = 86_400_000

describeStores(stores(), 'the chain of the audit log in $name', ({ open, openTwice }) => {
  async function withEntries(accounts: Opened, count: number): Promise<void> {
    for (let at = 0; at < count; at += 1)
      await accounts.recordAct(SYSTEM, {
        action: 'test.act',
        target: `t${at}`,
        organization: FIRST_ORGANIZATION,
        after: { at },
      })
  }

  async function verified(accounts: Opened, organization: string = FIRST_ORGANIZATION): Promise<ChainCheck> {
    let entries = 0
    for (let from: VerifiedUpTo | undefined; ; ) {
      const check = await accounts.verifyChain(organization, from)
      entries += check.entries
      if (!check.next) return { ...check, entries }
      from = check.next
    }
  }

  /** Changes a stored entry as somebody with access to the database could. */
  async function change(accounts: Opened, number: number, how: 'delete' | 'insert-changed'): Promise<void> {
    const { db } = accounts.parts.connection
    const at = db.selectFrom('audit').selectAll().where('organization', '=', FIRST_ORGANIZATION)
    const row = await at.where('number', '=', BigInt(number)).executeTakeFirstOrThrow()
    await db.deleteFrom('audit').where('id', '=', row.id).execute()
    if (how === 'insert-changed')
      await db
        .insertInto('audit')
        .values({ ...row, action: 'test.other' })
        .execute()
  }

  it('has numbers without gaps, and in each entry the hash of the one before', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    await withEntries(accounts, 5)
    const page = (await accounts.auditPage(owner, FIRST_ORGANIZATION)).toReversed()
    expect(page.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(page.map((_, at) => at + 1))
    const inOrder = page.toSorted((one, other) => one.number - other.number)
    expect(inOrder.map(({ previousHash }) => previousHash)).toEqual([
      '0'.repeat(64),
      ...inOrder.slice(0, -1).map(({ hash }) => hash),
    ])
    expect(await verified(accounts)).toEqual({ entries: page.length, next: undefined, problem: undefined })
    // The documented text.
    const last = inOrder.at(-1)
    const text = JSON.stringify([
      ...[last?.number, last?.previousHash, last?.id, last?.at, FIRST_ORGANIZATION, 'system'],
      ...[null, null, null, null, null, 'test.act', 't4', null, '{"at":4}', 'done'],
    ])
    expect(createHash('sha256').update(text).digest('hex')).toBe(last?.hash)
  })

  it.each(['delete', 'insert-changed'] as const)('shows one entry that was changed: %s', async (how) => {
    const accounts = await open()
    await withEntries(accounts, 5)
    await change(accounts, 3, how)
    expect((await verified(accounts)).problem).toEqual({ number: 3, kind: how === 'delete' ? 'missing' : 'changed' })
  })

  it.each([1, 5])('shows that its first or last entry was removed: %i', async (number) => {
    const accounts = await open()
    await withEntries(accounts, 5)
    await change(accounts, number, 'delete')
    expect((await verified(accounts)).problem).toEqual({ number, kind: 'missing' })
  })

  it('continues after retention has deleted its beginning', async () => {
    const accounts = await open()
    await withEntries(accounts, 3)
    accounts.later(800 * DAY)
    await withEntries(accounts, 2)
    while (await accounts.forget());
    expect(await verified(accounts)).toMatchObject({ entries: 2, problem: undefined })
    await change(accounts, 4, 'delete')
    expect((await verified(accounts)).problem).toEqual({ number: 4, kind: 'missing' })
  })

  it('has one order for the entries of several nodes', async () => {
    const [one, other] = await openTwice()
    await Promise.all([one, other].flatMap((accounts) => Array.from({ length: 10 }, () => withEntries(accounts, 1))))
    expect(await verified(one)).toMatchObject({ entries: 20, problem: undefined })
  })

  it('is exported by one process at a time, from its stored position', async () => {
    const accounts = await open()
    await withEntries(accounts, 5)
    const [mine, theirs] = ['node-1', 'node-2'].map((holder) => ({ destination: 'siem', holder })) as [
      { destination: string; holder: string },
      { destination: string; holder: string },
    ]
    expect(await accounts.claimAuditExport(mine, 60_000)).toBe(true)
    expect(await accounts.claimAuditExport(theirs, 60_000)).toBe(false)
    const first = await accounts.readAuditExport('siem', 3)
    expect(first.entries.map(({ number }) => number)).toEqual([1, 2, 3])
    expect(await accounts.advanceAuditExport(mine, first.upTo)).toBe(true)
    expect((await accounts.readAuditExport('siem', 10)).entries.map(({ number }) => number)).toEqual([4, 5])
    // A process that stops without a word loses its claim.
    accounts.later(61_000)
    expect(await accounts.claimAuditExport(theirs, 60_000)).toBe(true)
    expect(await accounts.advanceAuditExport(mine, { [FIRST_ORGANIZATION]: 5 })).toBe(false)
    await accounts.releaseAuditExport(theirs)
    expect(await accounts.claimAuditExport(mine, 60_000)).toBe(true)
  })
})

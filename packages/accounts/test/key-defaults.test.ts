import { budgetStatuses } from '@headgate/store/sql'
import { expect, it } from 'vitest'
import { claim, describeStores, join, START, stores } from './support/opened.ts'

const ORG = 'org_default'
const DAY = 86_400_000

describeStores(stores(), 'Defaults for keys of members in $name', ({ open }) => {
  it('bound each key that a member creates, and none of owners and admins', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const member = await join(accounts, 'member', 'mia')
    const keyDefaults = {
      limits: { requestsPerMinute: 60 },
      budget: { limit: '5000000000', period: 'month' as const },
      days: 30,
    }
    const changed = await accounts.changeOrganization(owner, ORG, { keyDefaults })
    expect(changed.keyDefaults).toEqual(keyDefaults)
    const make = async (caller: typeof owner, expiresAt?: number) =>
      (await accounts.createKey(caller, ORG, expiresAt === undefined ? {} : { expiresAt })).stored
    const own = await make(member)
    expect(own).toMatchObject({ limits: { requestsPerMinute: 60 }, expiresAt: START + 30 * DAY })
    expect((await make(member, START + DAY)).expiresAt).toBe(START + DAY)
    expect((await make(member, START + 60 * DAY)).expiresAt).toBe(START + 30 * DAY)
    const budgets = await budgetStatuses(accounts.parts.connection)
    expect(budgets.filter(({ owner: id }) => id === own.id)).toMatchObject([{ limit: 5_000_000_000n, period: 'month' }])
    const free = await make(owner)
    expect([free.limits, free.expiresAt]).toEqual([undefined, undefined])
    await accounts.changeOrganization(owner, ORG, { keyDefaults: null })
    expect((await make(member)).expiresAt).toBeUndefined()
  })

  it('are not undone by the member', async () => {
    const accounts = await open()
    const owner = await claim(accounts)
    const member = await join(accounts, 'member', 'mia')
    await accounts.changeOrganization(owner, ORG, { keyDefaults: { days: 30 } })
    const { stored } = await accounts.createKey(member, ORG, {})
    for (const expiresAt of [null, START + 31 * DAY])
      await expect(accounts.changeKey(member, ORG, stored.id, { expiresAt })).rejects.toMatchObject({
        kind: 'forbidden',
        param: 'expiresAt',
      })
    expect((await accounts.changeKey(member, ORG, stored.id, { expiresAt: START + DAY })).expiresAt).toBe(START + DAY)
    expect((await accounts.changeKey(owner, ORG, stored.id, { expiresAt: null })).expiresAt).toBeUndefined()
  })
})

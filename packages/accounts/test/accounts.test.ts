import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../store/test/support/stores.ts'
import { type AccountsSettings, callerOf, openAccounts, openAccountsHere } from '../src/index.ts'
import { CHEAP, HERE, ORIGIN, PASSWORD } from './support/opened.ts'

const OLIVE = { email: 'olive@example.com', name: 'Olive', password: PASSWORD }

function settings(more: Partial<AccountsSettings> = {}): AccountsSettings {
  const place = { file: join(temporaryFolder(), 'headgate.db') }
  return { place, secret: '0123456789abcdef0123456789abcdef', origins: [ORIGIN], passwords: CHEAP, ...more }
}

function open(more: Partial<AccountsSettings> = {}) {
  const problems: string[] = []
  const given = settings(more)
  const accounts = openAccounts({ ...given, onProblem: (problem) => problems.push(problem) })
  onTestFinished(() => accounts.close())
  return { accounts, problems, given }
}

describe('Accounts', () => {
  it('are opened over a store that nobody has made yet, and go on where they were', async () => {
    const { accounts, problems, given } = open()
    const { token } = await accounts.firstLink()
    const { token: cookie, session } = await accounts.claimFirst(token, OLIVE, HERE)
    await accounts.close()
    const again = openAccounts({ ...given, onProblem: (problem) => problems.push(problem) })
    onTestFinished(() => again.close())
    expect(await again.useSession(cookie, HERE)).toEqual(session)
    expect(await again.accountOf(callerOf(session, HERE))).toMatchObject({ email: 'olive@example.com' })
    expect(problems).toEqual([])
  })

  it('say across the thread what is wrong, where, and how long to wait', async () => {
    const { accounts } = open()
    const { token } = await accounts.firstLink()
    const short = accounts.claimFirst(token, { ...OLIVE, password: 'short' }, HERE)
    await expect(short).rejects.toMatchObject({ kind: 'invalid-request', param: 'password', status: 400 })
    const attempt = () => accounts.signIn({ email: 'olive@example.com', password: 'wrong' }, HERE)
    for (let turn = 0; turn < 5; turn += 1)
      await expect(attempt()).rejects.toMatchObject({ kind: 'bad-key', status: 401 })
    await expect(attempt()).rejects.toMatchObject({ kind: 'over-limit', status: 429, retryAfterMs: expect.any(Number) })
  })

  it('name their providers, and nothing else of them', () => {
    const acme = {
      id: 'acme',
      name: 'Acme',
      issuer: 'https://acme.example',
      clientId: 'headgate',
      clientSecret: 'secret',
    }
    expect(open({ oidc: [acme] }).accounts.providers).toEqual([{ id: 'acme', name: 'Acme' }])
    expect(() => open({ oidc: [{ ...acme, issuer: 'http://acme.example' }] })).toThrow('must be an https address')
    expect(() => open({ secret: 'short' })).toThrow('at least 32')
  })

  it('can be had without a thread, for a command', async () => {
    const accounts = await openAccountsHere(settings())
    onTestFinished(() => accounts.close())
    const { token, person } = await accounts.addByOperator({ kind: 'system' }, OLIVE)
    expect(await accounts.resetPassword(token, PASSWORD, HERE)).toMatchObject({ session: { person } })
  })
})

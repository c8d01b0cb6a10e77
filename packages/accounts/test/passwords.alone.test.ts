import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../store/test/support/stores.ts'
import { openAccounts } from '../src/index.ts'
import { createHasher } from '../src/passwords/hasher.ts'
import { HERE, ORIGIN, PASSWORD } from './support/opened.ts'

it('The password of an unknown person costs what that of a known person costs', async () => {
  const parameters = { ln: 13, r: 8, p: 1 }
  const hasher = createHasher({ parameters })
  const hash = await hasher.hash(PASSWORD)
  const time = async (stored: string | null) => {
    const begun = process.cpuUsage()
    for (let turn = 0; turn < 2; turn += 1)
      expect(await hasher.verify('another password', stored)).toMatchObject({ isRight: false })
    const { user, system } = process.cpuUsage(begun)
    return user + system
  }
  // CPU time, since others share the machine, and the least of it, since the process does other things too.
  let [unknown, known] = [Infinity, Infinity]
  for (let round = 0; round < 5; round += 1) {
    unknown = Math.min(unknown, await time(null))
    known = Math.min(known, await time(hash))
  }
  // Half of it would be no hash at all.
  expect(unknown).toBeGreaterThan(known / 2)
})

it('Accounts leave the thread that serves alone while passwords are hashed', async () => {
  const accounts = openAccounts({
    place: { file: join(temporaryFolder(), 'headgate.db') },
    secret: '0123456789abcdef0123456789abcdef',
    origins: [ORIGIN],
    passwords: { ln: 15, r: 8, p: 3 },
    onProblem: () => {},
  })
  onTestFinished(() => accounts.close())
  await accounts.firstLink()
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  await accounts.signIn({ email: 'olive@example.com', password: PASSWORD }, HERE).catch(() => {})
  delay.disable()
  // A hash takes 0.3 s of a core.
  expect(delay.max / 1e6).toBeLessThan(250)
})

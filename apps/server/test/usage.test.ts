import { openStore } from '@headgate/store'
import { describe, expect, it } from 'vitest'
import { usageRow } from '../../../packages/store/test/usage-row.ts'
import { command } from './program.ts'
import { openFile } from './stored.ts'
import { temporaryFolder } from './temporary.ts'

/** A store in which one row lies, put there by a program that has ended. */
async function storeWith(change: Parameters<typeof usageRow>[0] = {}): Promise<string> {
  const dataDir = temporaryFolder()
  const { ledger } = await openStore({ dataDir, onProblem: () => {} })
  await ledger.settle(usageRow(change))
  ledger.abandon()
  return dataDir
}

const printed = async (folder: string): Promise<string> =>
  (await command(['usage', '--data-dir', '.'], { folder })).stdout

describe('headgate usage', () => {
  it('takes in what a program has left in its journal, and shows it', async () => {
    const folder = await storeWith()
    expect(await printed(folder)).toMatch(
      /\n2023-11-14T22:13:20.000Z +key_1 +chat +fast +mine +200 +10 +20 +0\.000002 +served\n$/,
    )
    expect(await printed(folder)).toMatch(/0\.000002 +served\n$/)
  })

  it('shows what is not known as such', async () => {
    expect(await printed(await storeWith({ usage: { output: 20 }, cost: null }))).toMatch(/200 +\? +20 +\? +served/)
  })

  it('says of sums what is in none of them, and never that it cost nothing; the cell of a file is empty', async () => {
    const sums = async (folder: string) =>
      (await command(['usage', '--by', 'model', '--from', '2023-11-01', '--data-dir', '.'], { folder })).stdout
    const unpriced = await storeWith({ cost: null, charged: null, priceId: null })
    expect(await sums(unpriced)).toMatch(/CHARGED +UNPRICED\nfast +1 +0 +10 +20 +\? +\? +1\n$/)
    expect(await sums(await storeWith())).toMatch(/fast +1 +0 +10 +20 +0\.000002 +0\.000002 +0\n$/)
    const { stdout } = await command(['usage', '--csv', '--data-dir', '.'], { folder: unpriced })
    const [head = '', row = ''] = stdout.trimEnd().split('\n')
    const cells = Object.fromEntries(head.split(',').map((name, index) => [name, row.split(',')[index]]))
    expect(cells).toMatchObject({ model: 'fast', cost: '', charged: '', price_id: '' })
  })

  it('shows what is counted beside tokens by its units', async () => {
    const units = { videos: 1, seconds: 5 }
    expect(await printed(await storeWith({ family: 'video', usage: { units } }))).toMatch(
      /video +fast +mine +200 +1 video, 5 seconds +0\./,
    )
    expect(
      await printed(await storeWith({ family: 'search', usage: { input: 0, output: 0, units: { searches: 1 } } })),
    ).toMatch(/search +fast +mine +200 +1 search +0\./)
    const chat = { input: 10, output: 20, units: { searches: 2 } }
    expect(await printed(await storeWith({ usage: chat }))).toMatch(/chat +fast +mine +200 +10 +20 +2 searches +0\./)
  })

  it('shows endpoints if a provider has several, and finds the requests of one', async () => {
    expect(await printed(await storeWith())).toMatch(/PROVIDER +STATUS/)
    const folder = await storeWith({ endpoint: 'eu' })
    expect(await printed(folder)).toMatch(/PROVIDER +ENDPOINT +STATUS[^\n]*\n.* mine +eu +200 /)
    const lines = async (endpoint: string) =>
      (await command(['usage', '--endpoint', endpoint, '--data-dir', '.'], { folder })).stdout.trimEnd().split('\n')
    expect([(await lines('eu')).length, (await lines('us')).length]).toEqual([2, 1])
    const sums = await command(['usage', '--endpoint', 'eu', '--by', 'model', '--data-dir', '.'], { folder })
    expect([sums.code, sums.stderr]).toEqual([
      2,
      'headgate: --by prints sums by provider, not by endpoint. Omit --endpoint.\n',
    ])
  })

  it('lists what an earlier program has stored beyond what a double holds', async () => {
    const folder = await storeWith()
    await printed(folder)
    openFile(folder).exec('UPDATE usage SET cost = 9007199254740993500, at = 8640000000000001')
    expect(await printed(folder)).toMatch(/\n\? .* 10 +20 +9007199254\.740994 +served\n/)
  })
})

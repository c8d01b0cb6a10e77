import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { journalWarnings } from '../src/config/journal-warnings.ts'
import { loadSettings, type Settings, storeOptions } from '../src/config/settings.ts'
import { temporaryFolder } from './temporary.ts'

const DATABASE_URL = 'postgres://headgate@127.0.0.1:1/headgate'
const [TMPFS, OVERLAY, EXT4] = [0x0102_1994, 0x794c_7630, 0xef53]

function load(config: object, environment: Readonly<Record<string, string>> = { DATABASE_URL }): Promise<Settings> {
  return loadSettings({}, { folder: temporaryFolder({ 'headgate.config.json': config }), environment })
}

describe('`journal`', () => {
  it('is an option of the store, and needs a database', async () => {
    expect(storeOptions(await load({ journal: 'postgres' }))).toMatchObject({ journal: 'postgres' })
    expect(storeOptions(await load({}))).not.toHaveProperty('journal')
    await expect(load({ journal: 'postgres' }, {})).rejects.toThrow(
      'journal: found "postgres"; allowed without DATABASE_URL: "disk"',
    )
    await expect(load({ journal: 'memory' })).rejects.toThrow('journal: found "memory"')
  })

  it('is recommended where budgets are shared and the data directory does not last', async () => {
    const budgets = { organization: ['5/day'] }
    const warningsOf = async (type: number, config: object, environment?: Readonly<Record<string, string>>) =>
      journalWarnings(await load(config, environment), () => type)
    expect(await warningsOf(OVERLAY, { budgets })).toEqual([expect.stringContaining('in the container itself')])
    expect(await warningsOf(TMPFS, { budgets })).toEqual([expect.stringContaining('in memory')])
    expect(await warningsOf(EXT4, { budgets })).toEqual([])
    expect(await warningsOf(OVERLAY, { budgets, journal: 'postgres' })).toEqual([])
    expect(await warningsOf(OVERLAY, {})).toEqual([])
    expect(await warningsOf(OVERLAY, { budgets }, {})).toEqual([])
  })

  it('is checked at the nearest folder that exists', async () => {
    const settings = await load({ budgets: { organization: ['5/day'] } })
    const asked: string[] = []
    journalWarnings(settings, (folder) => asked.push(folder))
    expect(asked).toEqual([join(settings.dataDir, '..')])
  })
})

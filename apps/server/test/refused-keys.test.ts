import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startInProcess } from './in-process.ts'
import { withArchive } from './stored.ts'
import { temporaryFolder } from './temporary.ts'

describe('a key of the store', () => {
  it('is refused on every path where it was copied wrong, or is used from where it may not be, and told so', async () => {
    const folder = temporaryFolder()
    const gateway = await startInProcess({ folder })
    const keys = await withArchive(join(folder, '.headgate'), async ({ keys }) => {
      const make = async (addresses: string[]) =>
        (await keys.create({ scopes: ['metrics'], models: ['*'], addresses })).key
      return { here: await make(['127.0.0.0/8']), elsewhere: await make(['192.0.2.0/24', '::1']) }
    })
    const swapped = keys.here.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const path of ['/metrics', '/v1/models']) {
      const get = async (key: string) => {
        const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
        return [answer.status, /"message":"([^"]*)"/.exec(await answer.text())?.[1]]
      }
      expect(await get(keys.here), path).toEqual([200, undefined])
      const typo = 'The key has a typo: its checksum is wrong. Copy the key again from its source.'
      expect(await get(swapped), path).toEqual([401, typo])
      expect(await get(keys.elsewhere), path).toEqual([
        403,
        expect.stringMatching(/^This key cannot be used from the address 127\.0\.0\.1\./),
      ])
    }
    expect(gateway.output()).not.toMatch(/request failed|stack/)
  })
})

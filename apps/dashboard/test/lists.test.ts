import { describe, expect, it } from 'vitest'
import { allOf } from '../web/api/all.ts'

describe('A list as a whole', () => {
  it('is read page by page until it ends', async () => {
    const asked: (string | undefined)[] = []
    const all = await allOf(async ({ cursor }) => {
      asked.push(cursor)
      return cursor === undefined ? { items: [1, 2], cursor: 'next' } : { items: [3] }
    })
    expect(all).toEqual({ items: [1, 2, 3], isCut: false })
    expect(asked).toEqual([undefined, 'next'])
  })

  it('says that there is more where it does not end', async () => {
    let pages = 0
    const all = await allOf(async () => {
      pages += 1
      return { items: [pages], cursor: 'on' }
    })
    expect([pages, all.items.length, all.isCut]).toEqual([10, 10, true])
  })
})

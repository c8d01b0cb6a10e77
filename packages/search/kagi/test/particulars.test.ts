import { searchExchange } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { kagi } from '../src/index.ts'

const { ask, read } = searchExchange(kagi({ apiKey: 'k' }))

describe('Kagi', () => {
  it('asks for whole pages, the first of which is 1', () => {
    expect(ask({ limit: 3, page: 2 }).body).toMatchObject({ page: 3 })
    expect(ask({ limit: 3 }).body).not.toHaveProperty('limit')
  })

  it('has ten pages', () => {
    const body = { data: { search: [{ url: 'https://example.com' }] } }
    expect(read(body, { page: 8 }).more).toBe(true)
    expect(read(body, { page: 9 }).more).toBe(false)
    expect(read({ data: { search: [] } }, { page: 1 }).more).toBe(false)
  })

  it('looks for what is newer than a day', () => {
    const dateRestrict = { unit: 'd', count: 3, since: '2026-01-10' } as const
    expect(ask({ dateRestrict }).body).toMatchObject({ filters: { after: '2026-01-10' } })
  })
})

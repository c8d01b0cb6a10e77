import { describe, expect, it } from 'vitest'
import type { TranslatedFormat } from '../../src/translate.ts'
import { A, CLAUDE, G, GEMINI, GPT, O, send } from './way.ts'

const R = 'responses'
const HINTS = { prompt_cache_key: 'k', prompt_cache_retention: '24h', safety_identifier: 's' }
const ASKED = {
  [O]: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  [R]: { model: 'm', input: 'Hi' },
}

describe('The key and retention of the prompt cache, and the identifier of a user,', () => {
  it.each<[typeof O | typeof R, TranslatedFormat]>([
    [O, R],
    [R, O],
  ])('pass from %s to %s', (from, to) => {
    const both = send(from, to, { ...ASKED[from], ...HINTS, user: 'u' }, GPT)
    expect(both.body).toMatchObject({ ...HINTS, user: 'u' })
    const alone = send(from, to, { ...ASKED[from], ...HINTS }, GPT)
    expect(alone.body).toMatchObject(HINTS)
    expect(alone.body).not.toHaveProperty('user')
    expect([...both.lost, ...alone.lost]).toEqual([])
  })

  it.each<[typeof O | typeof R, TranslatedFormat, { model: string }]>([
    [O, R, { model: 'other' }],
    [R, O, { model: 'other' }],
    [O, A, CLAUDE],
    [R, G, GEMINI],
  ])('are declared as lost from %s to %s where the server is not known to take them', (from, to, target) => {
    const { body, lost } = send(from, to, { ...ASKED[from], ...HINTS, user: 'u' }, target)
    for (const key of Object.keys(HINTS))
      expect(body).not.toHaveProperty(key === 'safety_identifier' && to === R ? 'none' : key)
    expect(lost).toEqual(expect.arrayContaining(Object.keys(HINTS).map((key) => `${key} dropped`)))
    expect(new Set(lost).size).toBe(lost.length)
  })
})

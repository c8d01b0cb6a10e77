import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { API_KEY_PATTERN, createApiKey, displayPrefix, isStorable, typoOf } from '../src/keys/api-key.ts'

const ENVIRONMENTS = { production: 'p', staging: 's', development: 'd', qa: 'x', constructor: 'x' }
const made = Object.keys(ENVIRONMENTS).flatMap((name) => Array.from({ length: 200 }, () => createApiKey(name)))

describe('A key', () => {
  it('says what it is for, and ends with a checksum of the rest', () => {
    for (const [name, letter] of Object.entries(ENVIRONMENTS))
      expect(createApiKey(name)).toMatch(RegExp(`^hg_${letter}_[0-9A-Za-z]{36}$`))
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    for (const key of made.slice(0, 50)) {
      const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
      expect(value).toBe(crc32(key.slice(0, -6)))
    }
    expect(new Set(made).size).toBe(made.length)
  })

  it('in which one character is wrong, missing or moved is a typo, and what was none is no typo', () => {
    for (const key of made.slice(0, 20)) {
      expect([isStorable(key), typoOf(key)]).toEqual([true, undefined])
      for (let at = 5; at < key.length; at += 1) {
        const wrong = `${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`
        expect([isStorable(wrong), typoOf(wrong)]).toEqual([false, 'The key has a typo: its checksum is wrong.'])
      }
      const other = key.startsWith('hg_p_') ? key.replace('hg_p_', 'hg_d_') : key.replace(/^hg_._/, 'hg_p_')
      expect(typoOf(other)).toMatch(/checksum is wrong/)
      expect(typoOf(key.slice(0, -1))).toBe('The key has a typo: it has 40 characters instead of 41.')
      expect(typoOf(`${key}.`)).toMatch(/it has 42 characters/)
    }
    for (const stranger of ['', 'sk-local', 'hg_', 'hg_q_abc', 'HG_p_abc', `sk-hg-${'aB3'.repeat(13)}x`, '\u{1F511}'])
      expect([isStorable(stranger), typoOf(stranger)]).toEqual([false, undefined])
  })

  it('is known to its owner by its beginning and its end', () => {
    expect(displayPrefix('hg_p_abcd0000000000000000000000000000wxyz')).toBe('hg_p_abcd…wxyz')
  })
})

describe('The pattern for scanners', () => {
  it('is the one that is documented', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/keys.md'), 'utf8')
    expect(/^regex = '{3}(.*)'{3}$/m.exec(page)?.[1]).toBe(API_KEY_PATTERN)
  })

  it('finds every key in a text, whole, and nothing else', () => {
    const pattern = new RegExp(API_KEY_PATTERN, 'g')
    const text = made.map((key, index) => [`key=${key}\n`, `"${key}",`, `Bearer ${key};`][index % 3]).join('')
    expect(text.match(pattern)).toEqual(made)
    const key = made[0] ?? ''
    for (const none of [`${key}x`, `x${key}`, key.slice(0, -1), key.replace('_p_', '_q_')])
      expect(none.match(pattern)).toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { type Credential, signed } from '../../../core/src/contract/credential.ts'
import { readFrames } from '../../../core/src/formats/sse.ts'
import { scrub, scrubFrame } from '../../src/http/scrub.ts'
import { recordSecrets } from '../../src/http/secrets.ts'

/** Of no vendor's look: only who knows it can find it. */
const SECRET = 'zebra+north/0123456789abcd'
const credential: Credential = { kind: 'header', name: 'authorization', value: `Bearer ${SECRET}` }
const clean = (text: string): string => scrub(text, { credential })

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, '0')
const each = (spell: (char: string, index: number) => string): string => [...SECRET].map(spell).join('')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('A credential of ours is taken out of what an upstream said', () => {
  it.each([
    ['as it is', SECRET],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a URL, in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['with every character percent-encoded', each((char) => `%${hex(char)}`)],
    ['with JSON escapes', each((char, index) => (index % 3 === 0 ? `\\u00${hex(char)}` : char))],
    [
      'with JSON escapes within JSON',
      each((char, index) => (index % 2 === 0 ? `\\\\u00${hex(char).toUpperCase()}` : char)),
    ],
    ['with slashes escaped', SECRET.replace('/', '\\/')],
    ['in base64', base64(SECRET)],
    ['in base64 after one byte', base64(`:${SECRET}`)],
    ['in base64 after two bytes', base64(`a:${SECRET}:b`)],
    ['in base64 of URLs', Buffer.from(`user:${SECRET}`).toString('base64url')],
  ])('%s', (_, spelled) => {
    const said = clean(`The key <${spelled}> is wrong: ${spelled}, "${spelled}".`)
    expect(said.match(/\[redacted\]/g)).toHaveLength(3)
    for (let at = 3; at + 8 < spelled.length - 3; at++) expect(said).not.toContain(spelled.slice(at, at + 8))
    expect(said).toMatch(/^The key <.{0,7}\[redacted\].{0,4}> is wrong: /)
  })

  it('also where requests are signed with it, before and after the first of them', () => {
    const pair = signed({ secrets: [SECRET], sign: () => ({}) })
    expect(scrub(`${SECRET}!`, { credential: pair })).toBe('[redacted]!')
    recordSecrets(pair, 'added', ['Bearer token-of-one-request'])
    expect(scrub(`${SECRET} token-of-one-request`, { credential: pair })).toBe('[redacted] [redacted]')
  })

  it('and leaves the rest as it was, escapes included', () => {
    const text = '50% of \\u0041 \\\\ C:\\temp %zz %2f \\/'
    expect(clean(text)).toBe(text)
    expect(clean(`${text}${encodeURIComponent(SECRET)}${text}`)).toBe(`${text}[redacted]${text}`)
  })
})

describe('A frame of an error', () => {
  const scrubbed = (text: string): string => {
    const [frame] = readFrames(text)
    if (!frame) throw new Error('There is no frame.')
    return Buffer.from(scrubFrame(Buffer.from(text), text, frame, clean)).toString('utf8')
  }

  it('stays JSON: quotes and brackets that follow a credential are no part of it', () => {
    const text =
      'event: error\ndata: {"error":{"message":"Bearer abcdefgh","key":["sk-abcdefgh12345"],"n":1},"a":"\\nsk-abcdefgh12345"}\n\n'
    const [frame] = readFrames(scrubbed(text))
    expect([frame?.event, JSON.parse(frame?.data ?? '')]).toEqual([
      'error',
      { error: { message: '[redacted]', key: ['[redacted]'], n: 1 }, a: '\n[redacted]' },
    ])
  })

  it('is scrubbed where it is no JSON, and in its comments', () => {
    expect(scrubbed(`data: wrong key ${SECRET}\n\n`)).toBe('data: wrong key [redacted]\n\n')
    expect(scrubbed(`: ${SECRET}\ndata: {"error":1}\n\n`)).toBe('data: {"error":1}\n\n')
  })

  it('is the very same bytes where it holds no credential', () => {
    const text = ': a\nid: 1\ndata: {"error": {"message":"\\u0041", "n": 1.00}}\n\n'
    expect(scrubbed(text)).toBe(text)
  })
})

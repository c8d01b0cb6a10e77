import { describe, expect, it } from 'vitest'
import { cleanBase64, decodeText, encodeText, normalizeMime, parseDataUrl, sniff } from '../../src/canonical/media.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUg=='

describe('parseDataUrl', () => {
  it.each([
    ['a plain data URL', `data:image/png;base64,${PNG}`, { mime: 'image/png', data: PNG }],
    [
      'case 149: a parameter before base64',
      `data:image/png;charset=utf-8;base64,${PNG}`,
      { mime: 'image/png', data: PNG },
    ],
    ['case 150: percent-encoded text', 'data:text/plain,hello%20w', { mime: 'text/plain', data: btoa('hello w') }],
    ['case 151: upper case', `DATA:image/PNG;BASE64,${PNG}`, { mime: 'image/png', data: PNG }],
    [
      'case 152: white space in the base64',
      'data:image/png;base64,iVBO Rw0\nKGgo=',
      { mime: 'image/png', data: 'iVBORw0KGgo=' },
    ],
    [
      'case 152: the URL-safe alphabet',
      'data:application/octet-stream;base64,-_-_',
      { mime: 'application/octet-stream', data: '+/+/' },
    ],
    ['case 153: image/jpg', 'data:image/jpg;base64,/9j/AA==', { mime: 'image/jpeg', data: '/9j/AA==' }],
    ['a missing media type of text', 'data:,A%20brief%20note', { mime: 'text/plain', data: btoa('A brief note') }],
    ['a missing media type that the bytes tell', `data:;base64,${PNG}`, { mime: 'image/png', data: PNG }],
    ['missing padding', 'data:text/plain;base64,aGk', { mime: 'text/plain', data: 'aGk=' }],
    ['percent-encoded base64', 'data:text/plain;base64,aGk%3D', { mime: 'text/plain', data: 'aGk=' }],
    ['a stray percent sign', 'data:text/plain,100%', { mime: 'text/plain', data: btoa('100%') }],
    ['text outside ASCII', 'data:text/plain,%C3%A9', { mime: 'text/plain', data: encodeText('é') }],
    ['commas in the data', 'data:text/plain,a,b', { mime: 'text/plain', data: btoa('a,b') }],
  ])('reads %s', (_, url, expected) => {
    expect(parseDataUrl(url)).toEqual(expected)
  })

  it.each([
    ['https://example.com/a.png'],
    ['data:image/png;base64'],
    ['data:image/png;base64,a!b'],
    ['data:image/png;base64,A'],
    [''],
  ])('refuses %j', (url) => {
    expect(parseDataUrl(url)).toBeUndefined()
  })

  it('reads megabytes at once', () => {
    const data = 'A'.repeat(24 * 1024 * 1024)
    expect(parseDataUrl(`data:application/pdf;base64,${data}`)?.data.length).toBe(data.length)
  })
})

describe('base64 helpers', () => {
  it('refuses padding in the middle', () => {
    expect(cleanBase64('aG=k')).toBeUndefined()
    expect(cleanBase64('aGk===')).toBeUndefined()
  })

  it('know images and documents by their first bytes', () => {
    const webp = btoa('RIFF\u0010\u0000\u0000\u0000WEBPVP8 ')
    const wave = btoa('RIFF\u0010\u0000\u0000\u0000WAVEfmt ')
    expect([PNG, '/9j/4AAQ', btoa('GIF89a'), webp, btoa('%PDF-1.7'), wave, ''].map(sniff)).toEqual([
      'image/png',
      'image/jpeg',
      'image/gif',
      'image/webp',
      'application/pdf',
      undefined,
      undefined,
    ])
  })

  it('bring text to base64 and back', () => {
    expect(decodeText(encodeText('naïve ☃ 🎈'))).toBe('naïve ☃ 🎈')
  })

  it('name a media type in one way', () => {
    expect([' Image/JPG ; q=1', 'application/PDF', 'audio/x-wav'].map(normalizeMime)).toEqual([
      'image/jpeg',
      'application/pdf',
      'audio/wav',
    ])
  })
})

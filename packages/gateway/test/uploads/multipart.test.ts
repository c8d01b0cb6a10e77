import { describe, expect, it } from 'vitest'
import { boundaryOf, createMultipartScanner, isForm } from '../../src/uploads/multipart.ts'

const BOUNDARY = 'form-7f'

function form(...parts: readonly (readonly [head: string, content: string])[]): string {
  const written = parts.map(
    ([head, content]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`,
  )
  return `${written.join('')}--${BOUNDARY}--\r\n`
}

/** Scans a form in chunks of a size. Returns the contents with the facts of their parts. */
function scan(text: string | Buffer, size = Number.MAX_SAFE_INTEGER, boundary = BOUNDARY) {
  const bytes = Buffer.from(text)
  const scanner = createMultipartScanner(boundary)
  for (let at = 0; at < bytes.length; at += size) scanner.write(bytes.subarray(at, at + size))
  return scanner.end().map(({ start, end, ...facts }) => ({ ...facts, content: bytes.toString('utf8', start, end) }))
}

const plain = (name: string, content: string) => ({ name, filename: undefined, type: undefined, content })

describe('A multipart form', () => {
  const text = form(
    ['name="model"', 'whisper'],
    [
      'name="file"; filename="a \\"b\\" ü.wav"\r\nContent-Type: audio/wav; rate=8000',
      `RIFF\r\n--${BOUNDARY}x\r\n\r\n--`,
    ],
    ['name="empty"', ''],
    ['name="timestamp_granularities[]"', 'word'],
  )
  const parts = [
    plain('model', 'whisper'),
    { name: 'file', filename: 'a "b" ü.wav', type: 'audio/wav', content: `RIFF\r\n--${BOUNDARY}x\r\n\r\n--` },
    plain('empty', ''),
    plain('timestamp_granularities[]', 'word'),
  ]

  it('has the same parts however it is divided into chunks', () => {
    const bytes = Buffer.from(`preamble\r\n${text}epilogue\r\n--${BOUNDARY}\r\n`)
    for (let size = 1; size <= bytes.length; size++) expect(scan(bytes, size)).toEqual(parts)
  })

  it('has the same parts when it is cut once at any byte', () => {
    const bytes = Buffer.from(text)
    for (let cut = 0; cut <= bytes.length; cut++) {
      const scanner = createMultipartScanner(BOUNDARY)
      scanner.write(bytes.subarray(0, cut))
      scanner.write(bytes.subarray(cut))
      expect(scanner.end().map(({ start, end }) => bytes.toString('utf8', start, end))).toEqual(
        parts.map(({ content }) => content),
      )
    }
  })

  it.each([
    ['an extended file name', `name="file"; filename="x.wav"; filename*=UTF-8''%C3%BC.wav`, 'ü.wav'],
    ['a path of Windows', 'name="file"; filename="C:\\music\\a.wav"', 'C:\\music\\a.wav'],
    ['a name without quotes', 'name=file; filename=a.wav', 'a.wav'],
    ['an invalid extended name', `name="file"; filename="x.wav"; filename*=UTF-8''%C3`, 'x.wav'],
    ['semicolons in names', 'name="file"; filename="a;b=c.wav"', 'a;b=c.wav'],
  ])('reads %s', (_, head, filename) => {
    expect(scan(form([head, 'x']))).toEqual([{ name: 'file', filename, type: undefined, content: 'x' }])
  })

  it('reads a part with the type of a file and no name as a file', () => {
    const types = ['application/octet-stream', 'audio/wav', 'text/plain', 'application/json']
    const names = types.map((type) => scan(form([`name=file\r\nContent-Type: ${type}`, 'x']))[0]?.filename)
    expect(names).toEqual(['', '', undefined, undefined])
  })

  it('accepts white space after a boundary, and a part without the line end before its boundary', () => {
    expect(scan(`--${BOUNDARY} \t\r\ncontent-disposition: form-data; name=a\r\n\r\n--${BOUNDARY}--`)).toEqual([
      plain('a', ''),
    ])
  })

  it.each([
    ['no boundary', 'name=value', 'has no part'],
    ['line ends of Unix', text.replaceAll('\r\n', '\n'), 'has no part'],
    ['no end', text.slice(0, text.lastIndexOf('--')), 'its last boundary is missing'],
    ['no name', form(['filename="a"', 'x']), 'with a name'],
    ['another disposition', text.replace('form-data', 'attachment'), 'content-disposition: form-data'],
    ['base64', form(['name="file"\r\ncontent-transfer-encoding: base64', 'eA==']), 'Send its bytes'],
    ['a header without a colon', form(['name="a"\r\nbroken', 'x']), 'invalid header'],
    ['large headers', form([`name="a"\r\nx: ${'x'.repeat(9_000)}`, 'x']), 'larger than 8192'],
    ['too many parts', form(...Array.from({ length: 257 }, () => ['name="a"', ''] as const)), 'more than 256 parts'],
    ['headers that are not UTF-8', Buffer.from(form(['name="\xff"', 'x']), 'latin1'), 'not valid UTF-8'],
  ])('is refused with %s', (_, body, message) => {
    expect(() => scan(body)).toThrow(message)
    expect(() => scan(body, 1)).toThrow(message)
  })

  it('needs a boundary in its type', () => {
    expect(boundaryOf('multipart/form-data; charset=utf-8; boundary="a b:1"')).toBe('a b:1')
    expect(boundaryOf('multipart/form-data;boundary=----WebKit')).toBe('----WebKit')
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
    ])
      expect(() => boundaryOf(type)).toThrow('boundary')
    expect(
      ['multipart/form-data; boundary=x', 'Multipart/Form-Data', 'multipart/form-database', undefined].map(isForm),
    ).toEqual([true, true, false, false])
  })

  it('takes time in proportion to its size, also for text that resembles boundaries', () => {
    const near = `\r\n--${BOUNDARY.slice(0, -1)}`.repeat(200_000)
    const began = performance.now()
    expect(scan(form(['name="a"', near]), 65_536)).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})

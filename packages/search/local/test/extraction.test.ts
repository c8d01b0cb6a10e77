import { describe, expect, it } from 'vitest'
import { decode } from '../src/extract/decode.ts'
import { readHtml } from '../src/extract/html.ts'
import { readMarkdown } from '../src/extract/markdown.ts'
import { readPdf } from '../src/extract/pdf.ts'
import { pdf } from './pdf.ts'

describe('Markdown', () => {
  it('has its first heading as title, and no marks in its text', () => {
    const source =
      '# The *first* heading\n\nSome **bold**, `code` and [a link](https://example.com/x "t") to ![a picture](p.png).\n\n- one\n2. two\n> said\n\n| a | b |\n|---|---|\n| c | d |\n\n```js\nlet x = 1\n```\n'
    const { title, text } = readMarkdown(source)
    expect(title).toBe('The first heading')
    expect(text).toContain('Some bold, code and a link to a picture.')
    expect(text.split('\n')).toEqual(expect.arrayContaining(['one', 'two', 'said', 'a   b', 'c   d', 'let x = 1']))
    expect(text).not.toMatch(/[*`#>|[\]]/)
  })

  it('takes title, date, language and URL of its front matter', () => {
    const source =
      '---\ntitle: "Front: matter"\ndate: 2025-03-04\nlang: de\nurl: https://example.com/a\ntags:\n  - x\n---\n# Heading\nText.\n'
    expect(readMarkdown(source)).toEqual({
      title: 'Front: matter',
      date: '2025-03-04T00:00:00.000Z',
      lang: 'de',
      url: 'https://example.com/a',
      text: 'Heading\nText.',
    })
  })

  it('keeps names with underscores and an underlined heading', () => {
    const { title, text } = readMarkdown('Underlined\n==========\nset max_tokens_here and _this_\n')
    expect(title).toBe('Underlined')
    expect(text).toBe('set max_tokens_here and this')
  })

  it('is not read as a link that a URL of no web would be', () => {
    expect(readMarkdown('---\nurl: javascript:alert(1)\n---\nx').url).toBeUndefined()
  })
})

describe('HTML', () => {
  it('gives title, language, date and canonical URL', () => {
    const source =
      '<!doctype html><html lang="pt-BR"><head><title>A &amp; B</title><link rel="canonical" href="/c"><meta property="article:modified_time" content="2025-01-02T03:04:05Z"></head><body><p>Text</p></body></html>'
    expect(readHtml(source, 'https://example.com/x')).toEqual({
      title: 'A & B',
      lang: 'pt-BR',
      date: '2025-01-02T03:04:05.000Z',
      url: 'https://example.com/c',
      text: 'Text',
      hidden: false,
    })
  })

  it('leaves out scripts, styles, navigation, and what stands around the document', () => {
    const source =
      '<header>Logo</header><nav>Menu</nav><p>Before</p><script>var x = "code"</script><style>p {}</style><p>Af<b>ter</b></p><footer>Imprint</footer>'
    expect(readHtml(source).text).toBe('Before\nAfter')
  })

  it('takes the main part alone where there is one', () => {
    expect(readHtml('<div>Around</div><main><header><h1>Title</h1></header>Body</main>').text).toBe('Title\nBody')
  })
})

describe('PDF', () => {
  it('gives its text and its title', async () => {
    expect(await readPdf(pdf('Hello from a page', { title: 'A printed title' }))).toEqual({
      text: 'Hello from a page',
      title: 'A printed title',
    })
  })

  it('is refused when it is encrypted, cut off, or no PDF', async () => {
    expect(await readPdf(pdf('secret', { locked: true }))).toEqual({ reason: 'encrypted' })
    expect(await readPdf(pdf('cut').slice(0, 40))).toEqual({ reason: 'broken: it cannot be read as a PDF' })
    expect(await readPdf(new TextEncoder().encode('no'))).toEqual({ reason: 'broken: it does not begin like a PDF' })
  })
})

describe('Bytes', () => {
  it('are UTF-8, UTF-16 with its mark, or what is declared', () => {
    expect(decode(new TextEncoder().encode('\ufeffé'))).toEqual({ text: 'é' })
    expect(decode(Uint8Array.of(0xff, 0xfe, 0x41, 0, 0xe9, 0))).toEqual({ text: 'Aé' })
    expect(decode(Uint8Array.of(0xfe, 0xff, 0, 0x41, 0, 0xe9))).toEqual({ text: 'Aé' })
    expect(decode(Uint8Array.of(0x41, 0xe9), 'iso-8859-1')).toEqual({ text: 'Aé' })
  })

  it('are refused when they are no text', () => {
    expect(decode(Uint8Array.of(0x41, 0xe9))).toEqual({ reason: 'broken encoding: it is not UTF-8' })
    expect(decode(Uint8Array.of(0x41, 0, 0x42))).toEqual({ reason: 'binary: it contains NUL bytes' })
    expect(decode(new TextEncoder().encode('ab\u0001\u0002\u0003'))).toEqual({
      reason: 'binary: it contains many control characters',
    })
  })
})

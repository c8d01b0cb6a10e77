import { Parser } from 'htmlparser2'
import { type Extract, isoDate, webUrl } from '../document.ts'

/** Elements without text of the document. */
const SILENT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'nav',
  'svg',
  'iframe',
  'head',
  'title',
  'button',
  'select',
])
/** Elements around the document, on pages of a site. */
const AROUND = new Set(['header', 'footer', 'aside'])
const MAIN = new Set(['main', 'article'])
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'cite',
  'code',
  'del',
  'dfn',
  'em',
  'i',
  'ins',
  'kbd',
  'mark',
  'q',
  's',
  'samp',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'time',
  'u',
  'var',
  'wbr',
])
const DATES = new Set(['article:modified_time', 'article:published_time', 'date', 'dcterms.date', 'last-modified'])

/** Text of a page. */
export interface Page extends Extract {
  /** The page opts out of indexing. */
  readonly hidden: boolean
}

/**
 * Reads HTML: title, language, and the text of its main part; without a main part, the whole text except navigation.
 */
export function readHtml(source: string, base?: string): Page {
  const meta: Record<string, string> = {}
  const title: string[] = []
  const heading: string[] = []
  const main: string[] = []
  const body: string[] = []
  const open: string[] = []
  /** Number of open elements within the outermost silent element. */
  let silent = 0
  /** Number of open elements within the outermost main part. */
  let inMain = 0
  let lang: string | undefined
  let canonical: string | undefined

  const write = (text: string) => {
    body.push(text)
    if (inMain > 0) main.push(text)
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'html') lang = attributes['lang'] || undefined
      if (name === 'meta')
        meta[(attributes['name'] ?? attributes['property'] ?? '').toLowerCase()] = attributes['content'] ?? ''
      if (name === 'link' && attributes['rel']?.toLowerCase() === 'canonical') canonical ??= attributes['href']
      if (silent > 0 || SILENT.has(name) || (inMain === 0 && AROUND.has(name))) silent++
      if (inMain > 0 || MAIN.has(name)) inMain++
      open.push(name)
      if (silent === 0 && !INLINE.has(name)) write('\n')
    },
    onclosetag(name) {
      open.pop()
      if (silent === 0 && !INLINE.has(name)) write('\n')
      if (silent > 0) silent--
      if (inMain > 0) inMain--
    },
    ontext(text) {
      if (open.at(-1) === 'title' && open.at(-2) !== 'svg') title.push(text)
      if (silent > 0) return
      if (open.at(-1) === 'h1') heading.push(text)
      write(text)
    },
  })
  parser.write(source)
  parser.end()

  const published = Object.keys(meta).find((name) => DATES.has(name))
  return {
    title: squeeze(title.join('')) || squeeze(heading.join('')) || undefined,
    text: paragraphs(main.join('')) || paragraphs(body.join('')),
    lang,
    date: isoDate(published && meta[published]),
    url: webUrl(canonical, base),
    hidden: /\b(?:noindex|none)\b/i.test(meta['robots'] ?? ''),
  }
}

/** Replaces runs of white space by a space. */
export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function paragraphs(text: string): string {
  return text
    .split('\n')
    .map(squeeze)
    .filter((line) => line !== '')
    .join('\n')
}

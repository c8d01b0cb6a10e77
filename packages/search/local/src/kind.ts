import { extname } from 'node:path'

/** Kinds of files that are read. */
export type Reader = 'markdown' | 'html' | 'text' | 'pdf'

export interface Kind {
  readonly reader: Reader
  readonly mime: string
}

const MARKDOWN: Kind = { reader: 'markdown', mime: 'text/markdown' }
const HTML: Kind = { reader: 'html', mime: 'text/html' }
const TEXT: Kind = { reader: 'text', mime: 'text/plain' }
const PDF: Kind = { reader: 'pdf', mime: 'application/pdf' }

const KINDS: Readonly<Record<string, Kind>> = {
  md: MARKDOWN,
  markdown: MARKDOWN,
  mdx: MARKDOWN,
  html: HTML,
  htm: HTML,
  xhtml: HTML,
  txt: TEXT,
  text: TEXT,
  rst: TEXT,
  adoc: TEXT,
  pdf: PDF,
}

/** The extension of a file's name, lower case and without a dot. */
export function typeOf(path: string): string {
  return extname(path).slice(1).toLowerCase()
}

/** How a file is read; undefined = it is none that holds a document. */
export function kindOf(path: string): Kind | undefined {
  return KINDS[typeOf(path)]
}

/** How a page is read, by its media type. */
export function kindOfMedia(mime: string): Kind | undefined {
  if (mime === 'application/xhtml+xml') return HTML
  return [MARKDOWN, HTML, TEXT, PDF].find((kind) => kind.mime === mime)
}

/** The extension that files of a kind have. */
export function typeOfKind({ reader }: Kind): string {
  return { markdown: 'md', html: 'html', text: 'txt', pdf: 'pdf' }[reader]
}

import { extname } from 'node:path'

/** Kinds of readers. */
export type Reader = 'markdown' | 'html' | 'text' | 'pdf'

export interface FileKind {
  readonly reader: Reader
  readonly mime: string
}

const MARKDOWN: FileKind = { reader: 'markdown', mime: 'text/markdown' }
const HTML: FileKind = { reader: 'html', mime: 'text/html' }
const TEXT: FileKind = { reader: 'text', mime: 'text/plain' }
const PDF: FileKind = { reader: 'pdf', mime: 'application/pdf' }

const KINDS: Readonly<Record<string, FileKind>> = {
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

/** Extension of a file name, lowercase and without a dot. */
export function typeOf(path: string): string {
  return extname(path).slice(1).toLowerCase()
}

/** Kind of a file by its name. Undefined for unsupported files. */
export function kindOf(path: string): FileKind | undefined {
  return KINDS[typeOf(path)]
}

/** Kind of a page by its media type. */
export function kindOfMedia(mime: string): FileKind | undefined {
  if (mime === 'application/xhtml+xml') return HTML
  return [MARKDOWN, HTML, TEXT, PDF].find((kind) => kind.mime === mime)
}

/** Usual extension of files of a kind. */
export function typeOfKind({ reader }: FileKind): string {
  return { markdown: 'md', html: 'html', text: 'txt', pdf: 'pdf' }[reader]
}

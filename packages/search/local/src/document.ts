/** Content of a file, a page or a feed item. */
export interface Extract {
  readonly title?: string | undefined
  /** Paragraphs, separated by a line feed. */
  readonly text: string
  /** Language tag: `en`, `pt-BR`. */
  readonly lang?: string | undefined
  /** Date in ISO 8601. */
  readonly date?: string | undefined
  /** URL from the document itself. */
  readonly url?: string | undefined
}

/** Document of the index. */
export interface Document {
  readonly title: string
  readonly text: string
  readonly url: string
  /** File extension without a dot: `md`. */
  readonly type: string
  readonly mime: string
  readonly lang?: string | undefined
  /** Publication date from the document itself, in ISO 8601. */
  readonly published?: string | undefined
  /** Date of writing or of the last change, in ISO 8601. */
  readonly date?: string | undefined
}

/** Step of an index update. `path` identifies a document: a file path or a URL; `stamp` changes with its content. */
export type Change =
  | { readonly kind: 'keep'; readonly path: string; readonly stamp: string }
  | {
      readonly kind: 'put'
      readonly path: string
      readonly stamp: string
      readonly hash: string
      readonly document: Document
    }
  | { readonly kind: 'skip'; readonly path: string; readonly stamp: string; readonly reason: string }
  | { readonly kind: 'remove'; readonly path: string }

/** Reason why a document is not in the index. */
export interface Refusal {
  readonly reason: string
}

/** Reason from an error of the file system. */
export function refusalOf(error: unknown): Refusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  return { reason: REASONS[code ?? ''] ?? code ?? (error instanceof Error ? error.message.slice(0, 200) : 'failed') }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  ELOOP: 'is a symbolic link',
  ENXIO: 'is not a regular file',
}

/** ISO 8601 date, or undefined if the string is not a date. */
export function isoDate(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Web URL, or undefined if the string is not one. */
export function webUrl(text: string | undefined, base?: string): string | undefined {
  const url = text === undefined ? null : URL.parse(text, base)
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : undefined
}

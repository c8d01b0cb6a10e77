/** What is read out of a file, a page or an item of a feed. */
export interface Extract {
  readonly title?: string | undefined
  /** Paragraphs with a line feed between them. */
  readonly text: string
  /** `en`, `pt-BR` */
  readonly lang?: string | undefined
  /** A date in ISO 8601. */
  readonly date?: string | undefined
  /** Where it is to be found, as it says itself. */
  readonly url?: string | undefined
}

/** A document as the index keeps it. */
export interface Document {
  readonly title: string
  readonly text: string
  readonly url: string
  /** Without a dot: `md`. */
  readonly type: string
  readonly mime: string
  readonly lang?: string | undefined
  /** When it was published, as it says itself, in ISO 8601. */
  readonly published?: string | undefined
  /** When it was written or last changed, in ISO 8601. */
  readonly date?: string | undefined
}

/**
 * One step of bringing the index up to date. `path` names a document: a file's path or a URL; `stamp` tells whether it
 * has changed since.
 */
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

/** Why something is not in the index, in words. */
export interface Refusal {
  readonly reason: string
}

/** What the file system threw, in words. */
export function refusalOf(error: unknown): Refusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  return { reason: REASONS[code ?? ''] ?? code ?? (error instanceof Error ? error.message.slice(0, 200) : 'failed') }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  ELOOP: 'is a link',
  ENXIO: 'is no regular file',
}

/** A date in ISO 8601 where the text is one. */
export function isoDate(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** A URL of the web where the text is one. */
export function webUrl(text: string | undefined, base?: string): string | undefined {
  const url = text === undefined ? null : URL.parse(text, base)
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : undefined
}

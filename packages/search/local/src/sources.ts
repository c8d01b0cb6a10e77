import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LocalConfig } from './config.ts'

/** Folder or file whose documents are indexed. */
export interface Root {
  /** Absolute path. */
  readonly path: string
  /** URL prefix of documents in the folder. */
  readonly baseUrl: string
}

/** All settings that determine the content of an index. */
export interface Sources {
  readonly roots: readonly Root[]
  readonly sitemaps: readonly string[]
  readonly feeds: readonly string[]
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Maximum size of a file in bytes; larger files are skipped. */
  readonly maxFileBytes: number
}

const DEFAULT_BASE = 'https://local.invalid/'
const MANUAL_BASE = 'https://github.com/headgate/headgate/blob/main/'

/** Tells if the only source is Headgate's documentation. */
export function isManual({ path, sitemap, feed }: LocalConfig): boolean {
  return listed(path).length + listed(sitemap).length + listed(feed).length === 0
}

/** Sources of an index; without any in the config, Headgate's documentation. */
export function sourcesOf(config: LocalConfig): Sources {
  const { path, sitemap, feed, baseUrl, include = [], exclude = [], maxFileBytes } = config
  const paths = listed(path).map((one) => resolve(one))
  const sitemaps = listed(sitemap)
  const feeds = listed(feed)
  if (isManual(config))
    return { roots: manual(), sitemaps, feeds, include, exclude: ['decisions/**', ...exclude], maxFileBytes }
  const base = withSlash(baseUrl ?? DEFAULT_BASE)
  // With several folders, links include the folder's name, so that files with the same name differ.
  const roots = paths.map((one) => ({
    path: one,
    baseUrl: paths.length > 1 ? `${base}${encodeURIComponent(basename(one))}/` : base,
  }))
  return { roots, sitemaps, feeds, include, exclude, maxFileBytes }
}

/** Folder name of the index of these sources: a readable part and a hash. */
export function nameOf(sources: Sources): string {
  const first = sources.roots[0]?.path ?? sources.sitemaps[0] ?? sources.feeds[0] ?? ''
  const readable = basename(first)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 12)
  return `${readable || 'index'}-${hash}`
}

/** Headgate's documentation: next to the program in a build, in the repository when run from source. */
function manual(): Root[] {
  const shipped = fileURLToPath(new URL('./manual/', import.meta.url))
  const folder = existsSync(shipped) ? shipped : fileURLToPath(new URL('../../../../', import.meta.url))
  return [
    { path: resolve(folder, 'README.md'), baseUrl: MANUAL_BASE },
    { path: resolve(folder, 'docs'), baseUrl: `${MANUAL_BASE}docs/` },
  ]
}

function listed(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

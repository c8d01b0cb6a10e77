import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import type { BuiltFile } from '../src/files.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

/** Folder whose file names have a hash of the content. */
const HASHED = '/assets/'

/**
 * Plugin that writes compressed files next to the files of the build, and `site.json`, the list that the server
 * reads.
 */
export function siteList({ site, list }: { readonly site: string; readonly list: string }): Plugin {
  return {
    name: 'headgate:site-list',
    apply: 'build',
    closeBundle() {
      const names = globSync('**/*', { cwd: site, withFileTypes: false }).filter((name) => extname(name) in TYPES)
      const files = names.toSorted().map((name) => built(site, `/${name}`))
      const scripts = scriptsByPage(JSON.parse(readFileSync(join(site, 'manifest.json'), 'utf8')))
      const all = files.map((file) => (file.path === '/index.html' ? Object.assign(file, { scripts }) : file))
      writeFileSync(list, JSON.stringify(all))
    },
  }
}

/** Chunk in the manifest of Vite. */
interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
}

/** Scripts of each page that the first script does not load: its chunk, and what this imports. */
function scriptsByPage(chunks: Readonly<Record<string, Chunk>>): Readonly<Record<string, readonly string[]>> {
  const withImports = (name: string, known = new Set<string>()): ReadonlySet<string> => {
    if (known.has(name)) return known
    known.add(name)
    for (const one of chunks[name]?.imports ?? []) withImports(one, known)
    return known
  }
  const first = withImports('index.html')
  const pages = Object.keys(chunks).flatMap((name) => {
    const page = /^pages\/([\w-]+)\/page\.tsx$/.exec(name)?.[1]
    return page === undefined ? [] : [{ page, names: [...withImports(name)].filter((one) => !first.has(one)) }]
  })
  return Object.fromEntries(pages.map(({ page, names }) => [page, names.map((one) => `/${chunks[one]?.file}`)]))
}

function built(site: string, path: string): BuiltFile {
  const type = TYPES[extname(path)] ?? ''
  const bytes = readFileSync(join(site, path))
  const packed = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    gz: gzipSync(bytes, { level: 9 }),
  }
  const encodings = (['br', 'gz'] as const).filter((ending) => packed[ending].length < bytes.length)
  for (const ending of encodings) writeFileSync(join(site, `${path}.${ending}`), packed[ending])
  return { path, type, isImmutable: path.startsWith(HASHED), encodings }
}

import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { refusalOf } from '../document.ts'
import { globPattern } from '../glob.ts'
import { kindOf } from '../kind.ts'
import type { Root, Sources } from '../sources.ts'

/** Entry of a walk: a folder, a file to read, or a skipped path. */
export type WalkEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly url: string }
  | { readonly kind: 'refused'; readonly path: string; readonly reason: string }

const NEVER_ENTERED = new Set(['node_modules'])

/** Entries below the roots, by path. Hidden files and folders, and files of unsupported types, are ignored. */
export function* walk({ roots, include, exclude }: Sources): Generator<WalkEntry> {
  const wanted = include.map(globPattern)
  const unwanted = exclude.map(globPattern)
  const isWanted = (path: string) =>
    (wanted.length === 0 || wanted.some((glob) => glob.test(path))) && !unwanted.some((glob) => glob.test(path))
  for (const root of roots) yield* walkRoot(root, isWanted)
}

type PathFilter = (relative: string) => boolean

function* walkRoot({ path, baseUrl }: Root, isWanted: PathFilter): Generator<WalkEntry> {
  let root: string
  let isFile: boolean
  try {
    root = realpathSync(path)
    isFile = !lstatSync(root).isDirectory()
  } catch (error) {
    yield { kind: 'refused', path, ...refusalOf(error) }
    return
  }
  if (isFile) {
    yield { kind: 'folder', path: dirname(root) }
    if (!kindOf(root)) yield { kind: 'refused', path: root, reason: 'is not Markdown, HTML, text or PDF' }
    else yield { kind: 'file', path: root, url: linkOf(baseUrl, root.slice(root.lastIndexOf(sep) + 1)) }
    return
  }

  const ahead = ['']
  for (let relative = ahead.pop(); relative !== undefined; relative = ahead.pop()) {
    const folder = join(root, relative)
    yield { kind: 'folder', path: folder }
    const below: string[] = []
    for (const entry of sortedEntries(folder)) {
      if ('reason' in entry) yield { kind: 'refused', path: folder, reason: entry.reason }
      else {
        const inside = relative === '' ? entry.name : `${relative}/${entry.name}`
        if (isPassedOver(entry)) continue
        if (entry.isDirectory()) below.push(inside)
        else if (entry.isSymbolicLink()) yield* link(root, join(root, inside))
        else if (kindOf(entry.name) && isWanted(inside)) yield file(entry, join(root, inside), linkOf(baseUrl, inside))
      }
    }
    ahead.push(...below.reverse())
  }
}

function sortedEntries(folder: string): (Dirent | { readonly reason: string })[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    return [refusalOf(error)]
  }
}

function isPassedOver({ name }: Dirent): boolean {
  return name.startsWith('.') || NEVER_ENTERED.has(name)
}

function file(entry: Dirent, path: string, url: string): WalkEntry {
  return entry.isFile() ? { kind: 'file', path, url } : { kind: 'refused', path, reason: 'is not a regular file' }
}

/** Targets of symbolic links within the folder are read under their own path; links out of the folder are skipped. */
function* link(root: string, path: string): Generator<WalkEntry> {
  try {
    const target = realpathSync(path)
    if (target !== root && !target.startsWith(root + sep))
      yield { kind: 'refused', path, reason: 'is a symbolic link out of the folder' }
  } catch (error) {
    const { reason } = refusalOf(error)
    yield { kind: 'refused', path, reason: reason === 'does not exist' ? 'is a broken symbolic link' : reason }
  }
}

function linkOf(baseUrl: string, relative: string): string {
  return baseUrl + relative.split('/').map(encodeURIComponent).join('/')
}

import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { REPOSITORY } from './links.ts'

/** Page of the site. */
export interface SitePage {
  /** Path in the repository: `docs/errors.md`. */
  readonly source: string
  /** Path in the site, without ending: `errors`. */
  readonly path: string
  readonly title: string
  /** First paragraph, as plain text. */
  readonly summary: string
  /** Markdown with the links of the site. */
  readonly text: string
}

/** Pages of the repository: its documentation, its decisions, and the README files of packages. */
export function readPages(root: string): SitePage[] {
  const paths = sourcePaths(root)
  return [...paths].map(([source, path]) => {
    const original = readFileSync(join(root, source), 'utf8').replace(/<!--[\s\S]*?-->\n?/g, '')
    return {
      source,
      path,
      title: /^# (.+)$/m.exec(original)?.[1]?.replaceAll('`', '') ?? path,
      summary: summaryOf(original),
      text: withSiteLinks(original, source, paths, root),
    }
  })
}

/** Writes the pages and their images into an empty folder. */
export function writePages(pages: readonly SitePage[], root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  for (const { path, text } of pages) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, `${path}.md`), text)
  }
  // Files of this folder are copied unchanged.
  mkdirSync(join(folder, 'public'), { recursive: true })
  cpSync(join(root, 'apps/dashboard/web/public/icon.svg'), join(folder, 'public/icon.svg'))
  if (existsSync(join(root, 'docs/images')))
    cpSync(join(root, 'docs/images'), join(folder, 'images'), { recursive: true })
}

function sourcePaths(root: string): ReadonlyMap<string, string> {
  const find = (pattern: string): string[] =>
    globSync(pattern, { cwd: root })
      .map((path) => path.replaceAll('\\', '/'))
      .sort()
  const idOf = (path: string): string => basename(dirname(path))
  return new Map([
    ['CONTRIBUTING.md', 'contributing'],
    ['SECURITY.md', 'security'],
    ...find('docs/*.md').map((path): [string, string] => [path, basename(path, '.md')]),
    ...find('docs/decisions/*.md').map((path): [string, string] => [path, `decisions/${basename(path, '.md')}`]),
    ...find('packages/providers/*/README.md').map((path): [string, string] => [path, `providers/${idOf(path)}`]),
    ...find('packages/search/*/README.md').map((path): [string, string] => [path, `backends/${idOf(path)}`]),
    ...find('packages/sinks/*/README.md').map((path): [string, string] => [path, `sinks/${idOf(path)}`]),
    ...find('packages/*/README.md').map((path): [string, string] => [path, `packages/${idOf(path)}`]),
  ])
}

/** Links to pages of the site become its paths; links to other files lead to the repository. */
function withSiteLinks(text: string, source: string, paths: ReadonlyMap<string, string>, root: string): string {
  return text.replace(/\]\((?![a-z]+:|#|\/)([^)#\s]+)(#[^)\s]*)?\)/g, (whole, target: string, anchor = '') => {
    const path = posix.normalize(posix.join(posix.dirname(source), target))
    if (path.startsWith('docs/images/')) return `](/${path.slice('docs/'.length)})`
    const page = path === 'README.md' ? 'index' : paths.get(path)
    if (page !== undefined) return `](/${page === 'index' ? '' : page}${anchor})`
    if (!existsSync(join(root, path))) return whole
    return `](${REPOSITORY}/blob/main/${path}${anchor})`
  })
}

function summaryOf(text: string): string {
  const [, ...rest] = text.split(/\n{2,}/)
  const first = rest.find((paragraph) => /^[A-Za-z[`*]/.test(paragraph)) ?? ''
  return first
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

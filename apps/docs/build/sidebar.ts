import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

/** Pages of each group, in the order of the sidebar. */
const GROUPS: readonly (readonly [text: string, paths: readonly string[]])[] = [
  ['Start', ['clients', 'agents', 'coming-from', 'glossary']],
  [
    'Requests',
    [
      'formats',
      'translation',
      'responses',
      'signatures',
      'embeddings',
      'rerank',
      'search',
      'video',
      'dry-run',
      'idempotency',
      'refusals',
      'errors',
    ],
  ],
  ['Routing and limits', ['routing', 'keys', 'rate-limits', 'overload', 'budgets', 'usage']],
  [
    'Operation',
    ['configuration', 'operations', 'scale', 'accounts', 'dashboard', 'debugging', 'messages', 'performance'],
  ],
  [
    'Installation',
    [
      'kubernetes',
      'compose',
      'systemd',
      'proxies',
      'air-gapped',
      'high-availability',
      'upgrades',
      'sizing',
      'threat-model',
    ],
  ],
  ['Library', ['embedding', 'translate', 'adapters', 'search-backends']],
  ['Development', ['architecture', 'testing', 'contributing', 'security']],
]
/** Folders that each have a group, which is closed at first. */
const FOLDERS: readonly (readonly [text: string, folder: string])[] = [
  ['Providers', 'providers'],
  ['Search backends', 'backends'],
  ['Sinks', 'sinks'],
  ['Packages', 'packages'],
  ['Decisions', 'decisions'],
]

/** Sidebar of the site. A page that no group names is in the group "More". */
export function sidebar(pages: URL): DefaultTheme.SidebarItem[] {
  const item = (path: string): DefaultTheme.SidebarItem[] => {
    const file = new URL(`${path}.md`, pages)
    if (!existsSync(file)) return []
    return [{ text: /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll('`', '') ?? path, link: `/${path}` }]
  }
  const namesIn = (folder: string): string[] =>
    existsSync(new URL(folder, pages))
      ? readdirSync(new URL(folder, pages))
          .filter((name) => name.endsWith('.md'))
          .map((name) => name.slice(0, -'.md'.length))
          .sort()
      : []
  const named = new Set(['index', ...GROUPS.flatMap(([, paths]) => paths)])
  const more = namesIn('.').filter((path) => !named.has(path))
  return [
    ...GROUPS.map(([text, paths]) => ({ text, items: paths.flatMap(item) })),
    ...(more.length > 0 ? [{ text: 'More', items: more.flatMap(item) }] : []),
    ...FOLDERS.map(([text, folder]) => ({
      text,
      collapsed: true,
      items: namesIn(`${folder}/`).flatMap((name) => item(`${folder}/${name}`)),
    })),
  ]
}

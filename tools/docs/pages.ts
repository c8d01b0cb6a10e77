import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const OTHER_PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'apps/server/README.md',
  'apps/dashboard/README.md',
  'apps/docs/README.md',
  'packages/core/README.md',
  'packages/gateway/README.md',
  'packages/store/README.md',
  'packages/fleet/README.md',
  'packages/telemetry/README.md',
  'packages/discovery/README.md',
  'packages/import-litellm/README.md',
]

/** Pages for users, relative to the root of the repository. */
export function pagesOf(root: string): string[] {
  const folder = join(root, 'docs')
  const docs = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
  return [...OTHER_PAGES.filter((page) => existsSync(join(root, page))), ...docs.sort().map((name) => `docs/${name}`)]
}

import { checkStructure } from '../structure/check.ts'
import { derivedManifest } from '../structure/derived.ts'
import { format } from '../structure/problem.ts'
import { readRepository } from '../structure/repository.ts'
import { tree } from './tree.ts'

export const core = manifest('packages/core', 'core', {
  name: '@headgate/core',
  dependencies: { zod: '^4' },
})
export const acme = {
  'packages/providers/acme/package.json': manifest('packages/providers/acme', 'provider', { version: '0.1.0' }),
  'packages/providers/acme/README.md': '# Acme\n',
  'packages/providers/acme/test/acme.test.ts': '',
  'packages/providers/acme/src/index.ts': "export const acme = { id: 'acme' }\n",
}
export const sound = {
  'packages/core/package.json': core,
  'packages/core/src/index.ts': 'export const core = 1\n',
  'packages/gateway/package.json': manifest('packages/gateway', 'gateway', { name: '@headgate/gateway' }),
  ...acme,
}

export function manifest(
  folder: string,
  kind: 'core' | 'gateway' | 'provider' | 'search' | 'app',
  own: Record<string, unknown>,
): string {
  const one = { folder, kind, id: folder.split('/').at(-1) ?? '', manifest: own, sources: [], entries: [] }
  return JSON.stringify({ ...own, ...derivedManifest(one, { zodRange: '^4', adapters: [], keyVariables: {} }) })
}

/** What is wrong with a sound repository once these files are added to it, one line each. */
export function problems(files: Readonly<Record<string, string>>): string[] {
  return checkStructure(readRepository(tree({ ...sound, ...files }))).map(format)
}

export const lines = (count: number) => 'export const line = 1\n'.repeat(count)

import { posix } from 'node:path'
import type { Rule } from '../problem.ts'
import { GENERIC_ADAPTERS, isAdapter, type Package } from '../repository.ts'

/**
 * An adapter describes: it imports the contract, zod, and what its package.json declares for work that no contract can.
 */
export const adapterImports: Rule = ({ packages }) =>
  packages.filter(isAdapter).flatMap((adapter) =>
    adapter.sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ value }) => !isAllowed(adapter, path, value))
        .map(({ value, line }) => ({
          rule: 'adapter-imports',
          path,
          line,
          message: `imports '${value}': an adapter imports @headgate/core, zod, its own files and its own \`dependencies\`; core does the I/O`,
        })),
    ),
  )

function isAllowed(adapter: Package, path: string, specifier: string): boolean {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier).startsWith(`${adapter.folder}/src/`)
  if (specifier.startsWith('node:')) return mayUseNode(adapter, path, specifier)
  const name = packageOf(specifier)
  if (name.startsWith('@headgate/')) return name === '@headgate/core'
  return name === 'zod' || Object.hasOwn(Object(adapter.manifest['dependencies']), name)
}

/** Signing needs a hash; what runs in this process runs in a worker or in an adapter that serves no vendor. */
function mayUseNode({ id }: Package, path: string, specifier: string): boolean {
  return specifier === 'node:crypto' || path.endsWith('.worker.ts') || GENERIC_ADAPTERS.has(id)
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

import { posix } from 'node:path'
import type { Rule } from '../problem.ts'
import { GENERIC_ADAPTERS, isAdapter, type Package } from '../repository.ts'

/**
 * Adapters are descriptions: they import the contract, zod, and dependencies for work that the contract cannot
 * describe.
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
          message: `imports '${value}': an adapter can import @headgate/core, zod, its files and its \`dependencies\`; core does the I/O`,
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

/** Node modules are allowed for hashes of signatures, and in workers and generic adapters, which run in-process. */
function mayUseNode({ id }: Package, path: string, specifier: string): boolean {
  return specifier === 'node:crypto' || path.endsWith('.worker.ts') || GENERIC_ADAPTERS.has(id)
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

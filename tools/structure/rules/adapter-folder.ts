import { factoryName } from '../../../packages/create-adapter/src/adapter.ts'
import type { Problem, Rule } from '../problem.ts'
import { isAdapter, type Package } from '../repository.ts'

const REQUIRED = ['package.json', 'src', 'test', 'README.md']
const ALLOWED = new Set([...REQUIRED, 'CHANGELOG.md'])

/** All adapters have the same four entries, and one export with the name of the folder. */
export const adapterFolder: Rule = ({ packages }) =>
  packages.filter(isAdapter).flatMap((adapter) => [...entries(adapter), ...factory(adapter)])

function entries({ folder, entries }: Package): Problem[] {
  const missing = REQUIRED.filter((name) => !entries.includes(name))
  const surplus = entries.filter((name) => !ALLOWED.has(name))
  return [
    ...missing.map((name) => ({ rule: 'adapter-folder', path: folder, message: `has no ${name}: add it` })),
    ...surplus.map((name) => ({
      rule: 'adapter-folder',
      path: `${folder}/${name}`,
      message: `is not allowed: an adapter consists of ${REQUIRED.join(', ')} only`,
    })),
  ]
}

function factory({ folder, id, sources }: Package): Problem[] {
  const path = `${folder}/src/index.ts`
  const index = sources.find((source) => source.path === path)
  if (!index) return [{ rule: 'adapter-folder', path, message: 'is missing: this file must export the adapter' }]
  const name = factoryName(id)
  return [
    ...(index.exports.includes(name)
      ? []
      : [
          {
            rule: 'adapter-folder',
            path,
            message: `does not export \`${name}\`: the factory must have the name of the folder`,
          },
        ]),
    ...(index.strings.some(({ value }) => value === id)
      ? []
      : [
          {
            rule: 'adapter-folder',
            path,
            message: `does not contain its id '${id}': the id must be the name of the folder`,
          },
        ]),
  ]
}

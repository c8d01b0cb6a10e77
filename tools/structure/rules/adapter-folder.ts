import { factoryName } from '../../../packages/create-adapter/src/adapter.ts'
import type { Problem, Rule } from '../problem.ts'
import { isAdapter, type Package } from '../repository.ts'

const REQUIRED = ['package.json', 'src', 'test', 'README.md']
const ALLOWED = new Set([...REQUIRED, 'CHANGELOG.md'])

/** Adapters are all alike: the same four entries, and one export under the name that the folder has. */
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
      message: `does not belong here: an adapter is ${REQUIRED.join(', ')} and nothing else`,
    })),
  ]
}

function factory({ folder, id, sources }: Package): Problem[] {
  const path = `${folder}/src/index.ts`
  const index = sources.find((source) => source.path === path)
  if (!index) return [{ rule: 'adapter-folder', path, message: 'is missing: the adapter is what this file exports' }]
  const name = factoryName(id)
  return [
    ...(index.exports.includes(name)
      ? []
      : [{ rule: 'adapter-folder', path, message: `does not export \`${name}\`: name the factory after the folder` }]),
    ...(index.strings.some(({ value }) => value === id)
      ? []
      : [{ rule: 'adapter-folder', path, message: `does not name its id '${id}': the id is the name of the folder` }]),
  ]
}

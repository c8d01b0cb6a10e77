import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ALL } from './structure/derived.ts'
import { isAdapter, readRepository } from './structure/repository.ts'

/** Version of a package that was never released. */
const FIRST = '0.0.0'

/**
 * Step before `changeset version`: writes a changeset of `@headgate/all` that lists the adapters whose first release this
 * is, because their own changesets release only them. Skipped for the first release of `@headgate/all`, which has its own
 * changeset.
 */
const { values } = parseArgs({ options: { root: { type: 'string' } } })
const root = values.root ?? resolve(import.meta.dirname, '..')
const { packages } = readRepository(root)
const names = packages
  .filter((one) => isAdapter(one) && one.manifest['version'] === FIRST)
  .map(({ manifest }) => manifest.name)
const all = packages.find(({ folder }) => folder === ALL)?.manifest
if (names.length > 0 && all && all['version'] !== FIRST) {
  writeFileSync(
    join(root, '.changeset/adapters-of-all.md'),
    `---\n'${all.name}': minor\n---\n\nBrings ${names.join(', ')}.\n`,
  )
}

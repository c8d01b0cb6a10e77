import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ALL } from './structure/derived.ts'
import { isAdapter, readRepository } from './structure/repository.ts'

/**
 * Before versions are made: writes the changeset of `@headgate/all` where adapters are about to be released for the
 * first time. Their own changesets release them alone, and the list that has grown is released with them.
 */
const { values } = parseArgs({ options: { root: { type: 'string' } } })
const root = values.root ?? resolve(import.meta.dirname, '..')
const { packages } = readRepository(root)
const names = packages
  .filter((one) => isAdapter(one) && one.manifest['version'] === '0.0.0')
  .map(({ manifest }) => manifest.name)
if (names.length > 0) {
  const { name } = JSON.parse(readFileSync(join(root, ALL, 'package.json'), 'utf8'))
  writeFileSync(
    join(root, '.changeset/adapters-of-all.md'),
    `---\n'${name}': minor\n---\n\nBrings ${names.join(', ')}.\n`,
  )
}

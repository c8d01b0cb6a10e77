import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkStructure } from './structure/check.ts'
import { format } from './structure/problem.ts'
import { readRepository } from './structure/repository.ts'
import { writeManifests } from './structure/write.ts'

const HERE = resolve(import.meta.dirname, '..')

/**
 * `pnpm check [--write]`: the rules that keep the packages alike. `--write` mends what is derived in package.json. Of
 * another `--root` the sources are read alone, and not run.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false }, root: { type: 'string' } } })
const root = values.root ?? HERE
const description = root === HERE ? await import('./structure/description.ts') : undefined

if (values.write) await writeManifests(readRepository(root), { describe: description?.describedField })
const repository = readRepository(root)
const problems = [...checkStructure(repository), ...((await description?.descriptionProblems(repository)) ?? [])]
for (const problem of problems) console.error(format(problem))
if (problems.length > 0) {
  console.error(`\n${problems.length} breaches of the structure. What the rules are for: CONTRIBUTING.md.`)
  process.exitCode = 1
}

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkStructure } from './structure/check.ts'
import { format } from './structure/problem.ts'
import { readRepository } from './structure/repository.ts'
import { writeManifests } from './structure/write.ts'

const HERE = resolve(import.meta.dirname, '..')

/**
 * `pnpm check [--write]`: checks the common rules of packages. `--write` fixes derived fields in package.json. With
 * another `--root`, sources are parsed and not run.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false }, root: { type: 'string' } } })
const root = values.root ?? HERE
const description = root === HERE ? await import('./structure/description.ts') : undefined

if (values.write) await writeManifests(readRepository(root), { describe: description?.describedField })
const repository = readRepository(root)
const problems = [...checkStructure(repository), ...((await description?.descriptionProblems(repository)) ?? [])]
for (const problem of problems) console.error(format(problem))
if (problems.length > 0) {
  console.error(`\n${problems.length} violations of the structure. CONTRIBUTING.md explains the rules.`)
  process.exitCode = 1
}

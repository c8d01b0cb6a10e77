import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkStructure } from './structure/check.ts'
import { mendManifest } from './structure/derived.ts'
import { format } from './structure/problem.ts'
import { readRepository } from './structure/repository.ts'
import { zodRange } from './structure/rules/manifest.ts'

/** `pnpm check [--write]`: the rules that keep the packages alike. `--write` mends what is derived in package.json. */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false }, root: { type: 'string' } } })
const root = values.root ?? resolve(import.meta.dirname, '..')

if (values.write) writeManifests()
const problems = checkStructure(readRepository(root))
for (const problem of problems) console.error(format(problem))
if (problems.length > 0) {
  console.error(`\n${problems.length} breaches of the structure. What the rules are for: CONTRIBUTING.md.`)
  process.exitCode = 1
}

function writeManifests(): void {
  const repository = readRepository(root)
  for (const one of repository.packages) {
    if (!one.manifest.name) continue
    const path = join(root, one.folder, 'package.json')
    const mended = mendManifest(one, zodRange(repository))
    if (readFileSync(path, 'utf8') !== mended) writeFileSync(path, mended)
  }
}

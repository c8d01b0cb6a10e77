import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { INDEX } from './adapter-index/file.ts'
import { generateIndex } from './adapter-index/generate.ts'
import { generateDocs } from './docs/generate.ts'

/**
 * `pnpm generate-docs [--check]`: writes the blocks of the documents that come from the code, and the index of the
 * variables that adapters read. `--check` names those that are stale.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, root: { type: 'string' } } })
const pages = await generateDocs(values.root ?? resolve(import.meta.dirname, '..'), values.check)
if (values.root === undefined && (await generateIndex(values.check))) pages.push(INDEX)
for (const page of pages) {
  if (values.check) console.error(`${page} is stale: run \`pnpm generate-docs\`.`)
  else console.log(page)
}
if (values.check && pages.length > 0) process.exitCode = 1

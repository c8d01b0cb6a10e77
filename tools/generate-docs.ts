import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { generateDocs } from './docs/generate.ts'

/** `pnpm generate-docs [--check]`: writes the blocks of the documents that come from the code. `--check` names stale pages. */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, root: { type: 'string' } } })
const pages = await generateDocs(values.root ?? resolve(import.meta.dirname, '..'), values.check)
for (const page of pages) {
  if (values.check) console.error(`${page} is stale: run \`pnpm generate-docs\`.`)
  else console.log(page)
}
if (values.check && pages.length > 0) process.exitCode = 1

import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fillBlocks } from './docs/blocks.ts'
import { pagesOf } from './docs/pages.ts'
import { WRITERS } from './docs/writers.ts'

/** `pnpm generate-docs [--check]`: writes the blocks of the documents that come from the code. `--check` names those that are stale. */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, root: { type: 'string' } } })
const root = values.root ?? resolve(import.meta.dirname, '..')

for (const page of pagesOf(root)) {
  const path = join(root, page)
  const written = readFileSync(path, 'utf8')
  const filled = await fillBlocks(written, WRITERS).catch((error: Error) => {
    throw new Error(`${page}: ${error.message}`, { cause: error })
  })
  if (filled === written) continue
  if (values.check) {
    console.error(`${page} is stale: run \`pnpm generate-docs\`.`)
    process.exitCode = 1
  } else {
    writeFileSync(path, filled)
    console.log(page)
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillBlocks } from './blocks.ts'
import { pagesOf } from './pages.ts'
import { WRITERS } from './writers.ts'

/**
 * Writes the blocks of the pages that come from the code, unless they are only checked. Resolves with the pages that
 * were stale.
 */
export async function generateDocs(root: string, isCheck: boolean): Promise<string[]> {
  const stale: string[] = []
  for (const page of pagesOf(root)) {
    const path = join(root, page)
    const written = readFileSync(path, 'utf8')
    const filled = await fillBlocks(written, WRITERS).catch((error: Error) => {
      throw new Error(`${page}: ${error.message}`, { cause: error })
    })
    if (filled === written) continue
    stale.push(page)
    if (!isCheck) writeFileSync(path, filled)
  }
  return stale
}

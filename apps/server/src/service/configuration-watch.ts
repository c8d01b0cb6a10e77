import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Settings } from '../config/settings.ts'

/**
 * Time between two looks at the files, in milliseconds. They are read, because mounted configurations change by symbolic
 * links, of which the system sends no events.
 */
const LOOK_MS = 5_000

/** Files whose changes reload the configuration; none without `server.watch`. */
export function watchedFiles({ file, loaded, config }: Settings): readonly string[] {
  return config.server?.watch === true && file !== undefined ? [file, ...(loaded?.secretFiles ?? [])] : []
}

/** Calls `onChange` when the content of files has changed. `files` is called for each look. Returns the end of it. */
export function watchContent(files: () => readonly string[], onChange: () => void): () => void {
  let known = digestsOf(files())
  const look = (): void => {
    const found = digestsOf(files(), known)
    const isChanged = [...found].some(([file, digest]) => known.has(file) && known.get(file) !== digest)
    known = found
    if (isChanged) onChange()
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}

/** Digests of files. A file that cannot be read, as during its replacement, keeps the digest that was known. */
function digestsOf(files: readonly string[], known?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    files.map((file) => {
      try {
        return [file, createHash('sha256').update(readFileSync(file)).digest('hex')]
      } catch {
        return [file, known?.get(file) ?? '']
      }
    }),
  )
}

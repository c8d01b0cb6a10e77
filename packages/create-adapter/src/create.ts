import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Ask, readArguments, USAGE } from './arguments.ts'
import { packageFiles } from './package-files.ts'
import { ownRanges } from './ranges.ts'

/** Working folder and terminal of the command. */
export interface CreateContext {
  readonly folder: string
  readonly ask: Ask
  print(text: string): void
  note(text: string): void
}

/** Creates the package of an adapter, for `npm create headgate-adapter`. Returns the exit code. */
export async function create(args: readonly string[], { folder, ask, print, note }: CreateContext): Promise<number> {
  try {
    const parsed = await readArguments(args, ask)
    if (parsed === undefined) {
      note(USAGE)
      return 1
    }
    const { template, adapter } = parsed
    const target = resolve(folder, parsed.folder ?? adapter.name.replace(/^@[^/]*\//, ''))
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new Error(`${target} already exists and is not empty. Choose another folder with --folder.`)
    writeFiles(target, packageFiles(template, adapter, ownRanges()), print)
    print(
      `\nNext:\n\n  cd ${relative(folder, target) || '.'}\n  npm install\n  npm test\n\nThen add the vendor's differences in src/index.ts.\n`,
    )
    return 0
  } catch (error) {
    note(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** Writes files by their paths in a folder, and prints each path. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  print: (text: string) => void,
): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    print(`${path}\n`)
  }
}

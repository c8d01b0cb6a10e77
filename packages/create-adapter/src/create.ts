import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { packageFiles } from './package-files.ts'
import { ownRanges } from './ranges.ts'
import { type Ask, readWish, USAGE } from './wish.ts'

/** Where the command is given, and to whom it speaks. */
export interface CreateContext {
  readonly folder: string
  readonly ask: Ask
  print(text: string): void
  note(text: string): void
}

/** `npm create headgate-adapter`: lays down the package of an adapter. The exit code. */
export async function create(args: readonly string[], { folder, ask, print, note }: CreateContext): Promise<number> {
  try {
    const wish = await readWish(args, ask)
    if (wish === undefined) {
      note(USAGE)
      return 1
    }
    const { template, adapter } = wish
    const target = resolve(folder, wish.folder ?? adapter.name.replace(/^@[^/]*\//, ''))
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new Error(`${target} is there already, and not empty.`)
    writeFiles(target, packageFiles(template, adapter, ownRanges()), print)
    print(
      `\nNext:\n\n  cd ${relative(folder, target) || '.'}\n  npm install\n  npm test\n\nThen say in src/index.ts what deviates.\n`,
    )
    return 0
  } catch (error) {
    note(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** Writes files by their paths in a folder, and says which. */
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

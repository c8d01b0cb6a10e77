#!/usr/bin/env node
// Syntax that every Node version can parse: an older Node never parses or links the program that this file imports.
const OLDEST = [22, 19] as const

const found = process.versions.node
const [major = 0, minor = 0] = found.split('.').map(Number)

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `headgate: Node ${OLDEST.join('.')} or newer is required, but this is Node ${found}. Install a newer one from https://nodejs.org/en/download, or let npm download one: npx -y node@24 ${process.argv[1]}\n`,
  )
  process.exitCode = 1
} else {
  hideSqliteWarning()
  import('./process.ts')
}

/**
 * Hides the warning of Node 22 that node:sqlite is experimental. Standard error contains only the program's own output.
 */
function hideSqliteWarning(): void {
  const emitWarning = process.emitWarning.bind(process) as (warning: unknown, ...rest: unknown[]) => void
  process.emitWarning = (warning: unknown, ...rest: unknown[]): void => {
    if (rest[0] !== 'ExperimentalWarning' || !String(warning).startsWith('SQLite')) emitWarning(warning, ...rest)
  }
}

export {}

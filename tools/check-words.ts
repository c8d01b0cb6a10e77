import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readRepository } from './structure/repository.ts'
import { findForms } from './words/findings.ts'
import { pagesOf } from './words/pages.ts'

/** `pnpm check:words [path…]`: forms that make pages, messages and comments hard to read, of the named files or all. */
const root = resolve(import.meta.dirname, '..')
const under = process.argv.slice(2).map((path) => path.replace(/\/$/, ''))
const isNamed = (path: string): boolean =>
  under.length === 0 || under.some((one) => path === one || path.startsWith(`${one}/`))
const findings = findForms(
  readRepository(root).files.filter(({ path }) => isNamed(path)),
  pagesOf(root)
    .filter(isNamed)
    .map((path) => ({ path, text: readFileSync(resolve(root, path), 'utf8') })),
)
for (const { path, line, kind, found, use, text } of findings)
  console.error(`${path}:${line}  ${kind}: “${found}” → ${use}  | ${text.slice(0, 160)}`)
if (findings.length > 0) {
  console.error(`\n${findings.length} passages. How to write them: CONTRIBUTING.md.`)
  process.exitCode = 1
}

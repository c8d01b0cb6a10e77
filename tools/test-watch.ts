import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * `pnpm test:watch <package or path>`: runs the tests of a package, a folder or a file, and again when a file that they
 * import changes.
 */
const root = resolve(import.meta.dirname, '..')
const [wanted, ...rest] = process.argv.slice(2)

/** Folder of a package, by its name or the last part of its name. */
function folderOf(name: string): string | undefined {
  const manifests = globSync(['apps/*/package.json', 'packages/*/package.json', 'packages/*/*/package.json'], {
    cwd: root,
  })
  const nameOf = (manifest: string) => String(JSON.parse(readFileSync(join(root, manifest), 'utf8')).name)
  const found = manifests.find((manifest) => [name, `@headgate/${name}`].includes(nameOf(manifest)))
  return found && `${dirname(found)}/`
}

function placeOf(name: string): string | undefined {
  const path = resolve(root, name)
  return existsSync(path) ? relative(root, path) : folderOf(name)
}

const place = wanted === undefined ? undefined : placeOf(wanted)
if (place === undefined) {
  console.error(
    wanted === undefined
      ? 'usage: pnpm test:watch <package or path>'
      : `No package or path matches ${JSON.stringify(wanted)}.`,
  )
  process.exit(1)
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'watch', '--tags-filter=!full', place, ...rest], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRepository } from '../structure/repository.ts'
import { tree } from './tree.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHANGESET = /^---\n((?:['"]?[^\s'"]+['"]?: (?:major|minor|patch)\n)+)---\n\n([\s\S]+)$/

/** Packages that the registry gets. */
const published = readRepository(ROOT).packages.filter(({ manifest }) => manifest['private'] !== true)
/** Packages without a release: their first one writes CHANGELOG.md. */
const unreleased = published.filter(({ entries }) => !entries.includes('CHANGELOG.md'))

const changesets = readdirSync(join(ROOT, '.changeset'))
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => {
    const [, head = '', text = ''] = CHANGESET.exec(readFileSync(join(ROOT, '.changeset', file), 'utf8')) ?? []
    return { file, names: [...head.matchAll(/^['"]?([^\s'"]+?)['"]?:/gm)].map(([, name]) => name), text }
  })

describe('Changesets before the first release of a package', () => {
  it('are one per package, which describes only this package', () => {
    const filesOf = (name: string) => changesets.filter(({ names }) => names.includes(name)).map(({ file }) => file)
    const names = unreleased.map(({ manifest }) => String(manifest.name))
    const expected = names.map((name) => [name, [`${name.replace(/^@[^/]+\//, '')}.md`]])
    expect(names.map((name) => [name, filesOf(name)])).toEqual(expected)
    expect(changesets.map(({ names }) => names.length)).toEqual(changesets.map(() => 1))
  })

  it.skipIf(unreleased.length === 0)('become one version of each package and its changelog', { tags: ['full'] }, () => {
    const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
    const manifests = readRepository(ROOT).packages.map(({ folder }) => `${folder}/package.json`)
    const texts = changesets.map(({ file }) => `.changeset/${file}`)
    const paths = [
      'package.json',
      'pnpm-workspace.yaml',
      '.changeset/config.json',
      'tools/changelog.ts',
      ...manifests,
      ...texts,
    ]
    const root = tree(Object.fromEntries(paths.map((path) => [path, read(path)])))
    execFileSync(process.execPath, [join(ROOT, 'tools/announce-adapters.ts'), '--root', root])
    execFileSync(join(ROOT, 'node_modules/.bin/changeset'), ['version'], { cwd: root })

    for (const { folder, manifest } of unreleased) {
      const { version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const [major, minor] = String(manifest['version']).split('.').map(Number)
      expect(version, folder).toBe(`${major}.${(minor ?? 0) + 1}.0`)
      const changelog = readFileSync(join(root, folder, 'CHANGELOG.md'), 'utf8')
      expect(changelog.match(/^## .*$/gm), folder).toEqual([`## ${version}`])
      const text = changesets.find(({ names }) => names.includes(String(manifest.name)))?.text ?? ''
      expect(changelog.replaceAll(/^ {2}/gm, ''), folder).toContain(text.trim())
      expect(changelog.match(/Updated dependencies/g)?.length ?? 0, folder).toBeLessThanOrEqual(1)
    }
  })
})

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkStructure } from '../structure/check.ts'
import { readRepository } from '../structure/repository.ts'
import { tree } from './tree.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(ROOT, 'tools/new-adapter.ts')
const CORE = { 'packages/core/package.json': readFileSync(join(ROOT, 'packages/core/package.json'), 'utf8') }

function newAdapter(root: string, ...args: string[]) {
  return spawnSync(process.execPath, [PROGRAM, '--root', root, ...args], { encoding: 'utf8' })
}

describe('pnpm new provider', () => {
  it('lays down a provider that the structure check has nothing to say about', () => {
    const root = tree(CORE)
    const run = newAdapter(
      root,
      'provider',
      'acme-cloud',
      '--base-url',
      'https://api.acme.example/v1/',
      '--docs',
      'https://docs.acme.example',
    )
    expect(run).toMatchObject({ status: 0, stderr: '' })

    expect(checkStructure(readRepository(root))).toEqual([])
    const index = readFileSync(join(root, 'packages/providers/acme-cloud/src/index.ts'), 'utf8')
    expect(index).toContain(
      "export const acmeCloud = openAICompatible({\n  id: 'acme-cloud',\n  title: 'Acme Cloud',\n  baseUrl: 'https://api.acme.example/v1',",
    )
    expect(index).toContain(' * @see https://docs.acme.example')
    expect(readFileSync(join(root, 'packages/providers/acme-cloud/README.md'), 'utf8')).toContain('ACME_CLOUD_API_KEY')
    expect(readFileSync(join(root, '.changeset/acme-cloud-provider.md'), 'utf8')).toContain("'@headgate/provider-acme-cloud': minor")
  })

  it('formats what it writes as the formatter does', () => {
    const root = tree({
      ...CORE,
      'biome.json': JSON.stringify({ ...JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')), vcs: { enabled: false } }),
    })
    newAdapter(root, 'provider', 'acme', '--base-url', 'https://api.acme.example/v1', '--title', "Acme's")
    const biome = spawnSync(join(ROOT, 'node_modules/.bin/biome'), ['check', '--error-on-warnings', 'packages/providers'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(biome.status, biome.stderr).toBe(0)
  })

  it.each([
    ['no id', ['provider'], 'usage: pnpm new provider <id>'],
    ['no base URL', ['provider', 'acme'], 'usage: pnpm new provider <id>'],
    ['another kind', ['model', 'acme', '--base-url', 'https://acme.example'], 'usage: pnpm new provider <id>'],
    ['an id in capitals', ['provider', 'Acme', '--base-url', 'https://acme.example'], "'Acme' can not be an id"],
    ['the word for routing', ['provider', 'auto', '--base-url', 'https://acme.example'], "'auto' can not be an id"],
    ['a base URL that is none', ['provider', 'acme', '--base-url', 'acme'], "'acme' is no URL"],
    ['an id that is taken', ['provider', 'taken', '--base-url', 'https://acme.example'], 'packages/providers/taken is there already'],
  ])('writes nothing when it is given %s', (_, args, message) => {
    const root = tree({ ...CORE, 'packages/providers/taken/README.md': '' })
    const run = newAdapter(root, ...args)
    expect(run.status).toBe(1)
    expect(run.stderr).toContain(message)
    expect(existsSync(join(root, '.changeset'))).toBe(false)
  })
})

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
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
    expect(readFileSync(join(root, '.changeset/provider-acme-cloud.md'), 'utf8')).toContain(
      "'@headgate/provider-acme-cloud': minor",
    )
  })

  it.each([
    ['no id', ['provider'], 'usage: pnpm new provider|search|sink <id>'],
    ['no base URL', ['provider', 'acme'], 'usage: pnpm new provider|search|sink <id>'],
    [
      'two templates',
      ['provider', 'acme', '--base-url', 'https://acme.example', '--codec', '--signed'],
      'usage: pnpm new',
    ],
    ['a search with a codec', ['search', 'acme', '--base-url', 'https://acme.example', '--codec'], 'usage: pnpm new'],
    [
      'another kind',
      ['model', 'acme', '--base-url', 'https://acme.example'],
      'usage: pnpm new provider|search|sink <id>',
    ],
    ['an id in capitals', ['provider', 'Acme', '--base-url', 'https://acme.example'], "'Acme' is not a valid id"],
    ['the word for routing', ['provider', 'auto', '--base-url', 'https://acme.example'], "'auto' is not a valid id"],
    ['a base URL that is none', ['provider', 'acme', '--base-url', 'acme'], "'acme' is not a valid URL"],
    [
      'an id that is taken',
      ['provider', 'taken', '--base-url', 'https://acme.example'],
      'packages/providers/taken already exists',
    ],
    [
      'a backend that is there',
      ['search', 'found', '--base-url', 'https://acme.example'],
      'packages/search/found already exists',
    ],
  ])('writes nothing when it is given %s', (_, args, message) => {
    const root = tree({ ...CORE, 'packages/providers/taken/README.md': '', 'packages/search/found/README.md': '' })
    const run = newAdapter(root, ...args)
    expect(run.status).toBe(1)
    expect(run.stderr).toContain(message)
    expect(existsSync(join(root, '.changeset'))).toBe(false)
  })
})

/** This repository after its first release, under version control: its package.json files, and what commands read. */
function repository(): string {
  const manifests = globSync(
    ['package.json', '{apps,packages}/*/package.json', 'packages/{providers,search,sinks}/*/package.json'],
    {
      cwd: ROOT,
    },
  )
  const others = ['pnpm-workspace.yaml', '.changeset/config.json', 'tools/changelog.ts', 'tools/new-adapter.ts']
  const root = tree(
    Object.fromEntries(
      [...manifests, ...others].map((path) => [
        path,
        readFileSync(join(ROOT, path), 'utf8').replace('"version": "0.0.0"', '"version": "0.1.0"'),
      ]),
    ),
  )
  git(root, 'init', '--quiet', '--initial-branch=main')
  git(root, 'add', '.')
  git(root, '-c', 'user.name=Author', '-c', 'user.email=author@acme.example', 'commit', '--quiet', '--message=Before')
  return root
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
}

describe('What pnpm new provider example does to the repository', () => {
  it('is a package and its changeset: of what is there it changes the lists that are made of all adapters', () => {
    const root = repository()
    expect(newAdapter(root, 'provider', 'example', '--base-url', 'https://api.example.com/v1')).toMatchObject({
      status: 0,
      stderr: '',
    })
    expect(git(root, 'status', '--porcelain', '--untracked-files=all').trimEnd().split('\n').sort()).toEqual([
      ' M packages/all/package.json',
      ' M packages/discovery/package.json',
      '?? .changeset/provider-example.md',
      '?? packages/providers/example/README.md',
      '?? packages/providers/example/package.json',
      '?? packages/providers/example/src/index.ts',
      '?? packages/providers/example/test/example.test.ts',
    ])
    const added = git(root, 'diff', '--unified=0').match(/^[+-][^+-].*$/gm)
    expect(added).toEqual([
      '+      "@headgate/provider-example",',
      '+    "@headgate/provider-example": "workspace:>=0.0.0 <1",',
      '+      "@headgate/provider-example": "EXAMPLE_API_KEY",',
    ])
  })

  it('is released alone', () => {
    const root = repository()
    newAdapter(root, 'provider', 'example', '--base-url', 'https://api.example.com/v1')
    execFileSync(join(ROOT, 'node_modules/.bin/changeset'), ['status', '--output', 'status.json'], { cwd: root })
    const { releases } = JSON.parse(readFileSync(join(root, 'status.json'), 'utf8'))
    expect(releases).toMatchObject([
      { name: '@headgate/provider-example', type: 'minor', oldVersion: '0.0.0', newVersion: '0.1.0' },
    ])
  })
})

describe('@headgate/all', () => {
  it('is released with the adapters that it has not had yet', () => {
    const root = repository()
    newAdapter(root, 'provider', 'example', '--base-url', 'https://api.example.com/v1')
    execFileSync(process.execPath, [join(ROOT, 'tools/announce-adapters.ts'), '--root', root])
    const announced = readFileSync(join(root, '.changeset/adapters-of-all.md'), 'utf8')
    expect(announced).toBe("---\n'@headgate/all': minor\n---\n\nBrings @headgate/provider-example.\n")
  })

  it('takes any version below 1 of them afterwards as well', () => {
    const root = repository()
    newAdapter(root, 'provider', 'example', '--base-url', 'https://api.example.com/v1')
    execFileSync(process.execPath, [join(ROOT, 'tools/announce-adapters.ts'), '--root', root])
    const read = () => JSON.parse(readFileSync(join(root, 'packages/all/package.json'), 'utf8'))
    const before = read()
    execFileSync(join(ROOT, 'node_modules/.bin/changeset'), ['version'], { cwd: root })
    expect(read().dependencies['@headgate/provider-example']).toBe('workspace:>=0.1.0')
    spawnSync(process.execPath, [join(ROOT, 'tools/check-structure.ts'), '--write', '--root', root])
    expect(read()).toEqual({ ...before, version: expect.any(String) })
  })

  it.each([
    ['there is no new adapter', {}],
    [
      'it was never released itself',
      {
        'packages/all/package.json': '{ "name": "@headgate/all", "version": "0.0.0" }',
        'packages/providers/acme/package.json': '{ "name": "@headgate/provider-acme", "version": "0.0.0" }',
      },
    ],
  ])('is not announced if %s', (_, manifests) => {
    const root = tree({ ...CORE, ...manifests, '.changeset/config.json': '{}' })
    execFileSync(process.execPath, [join(ROOT, 'tools/announce-adapters.ts'), '--root', root])
    expect(existsSync(join(root, '.changeset/adapters-of-all.md'))).toBe(false)
  })
})

describe('pnpm new search', () => {
  it('lays down a search backend that the structure check has nothing to say about', () => {
    const root = tree(CORE)
    const run = newAdapter(
      root,
      'search',
      'acme-find',
      '--base-url',
      'https://api.acme.example',
      '--docs',
      'https://docs.acme.example',
    )
    expect(run).toMatchObject({ status: 0, stderr: '' })

    expect(checkStructure(readRepository(root))).toEqual([])
    const index = readFileSync(join(root, 'packages/search/acme-find/src/index.ts'), 'utf8')
    expect(index).toContain(
      "export const acmeFind = defineSearchBackend(\n  {\n    id: 'acme-find',\n    title: 'Acme Find',",
    )
    expect(readFileSync(join(root, 'packages/search/acme-find/README.md'), 'utf8')).toContain('ACME_FIND_API_KEY')
    expect(readFileSync(join(root, '.changeset/search-acme-find.md'), 'utf8')).toContain(
      "'@headgate/search-acme-find': minor",
    )
  })

  it('lets one vendor be a provider and a search backend, each with a base URL of its own', () => {
    const root = tree(CORE)
    for (const kind of ['provider', 'search']) {
      expect(newAdapter(root, kind, 'acme', '--base-url', 'https://api.acme.example').status).toBe(0)
    }
    expect(checkStructure(readRepository(root))).toEqual([])
    for (const file of ['src/index.ts', 'README.md'])
      expect(readFileSync(join(root, 'packages/search/acme', file), 'utf8')).toContain('ACME_SEARCH_BASE_URL')
  })
})

const LAID = [
  ['provider', 'acme', 'packages/providers', 'https://api.acme.example/v1', []],
  ['provider', 'acme-codec', 'packages/providers', 'https://api.acme.example/v1', ['--codec']],
  ['provider', 'acme-signed', 'packages/providers', 'https://api.acme.example/v1', ['--signed']],
  ['search', 'acme', 'packages/search', 'https://api.acme.example', []],
  ['sink', 'acme', 'packages/sinks', 'https://api.acme.example', []],
] as const

describe.each(LAID)('What pnpm new %s %s lays down in %s', (kind, id, folder, baseUrl, more) => {
  it('gives the structure check nothing to say', () => {
    const root = tree(CORE)
    expect(newAdapter(root, kind, id, '--base-url', baseUrl, ...more)).toMatchObject({ status: 0, stderr: '' })
    expect(checkStructure(readRepository(root))).toEqual([])
  })

  it('is formatted as the formatter does it', () => {
    const root = tree({
      ...CORE,
      'biome.json': JSON.stringify({
        ...JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')),
        vcs: { enabled: false },
      }),
    })
    newAdapter(root, kind, id, '--base-url', baseUrl, '--title', "Acme's", ...more)
    const biome = spawnSync(join(ROOT, 'node_modules/.bin/biome'), ['check', '--error-on-warnings', folder], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(biome.status, biome.stderr).toBe(0)
  })
})

describe('What pnpm new lays down', () => {
  it('passes the tests of its own', { tags: ['full'] }, passTheirOwn)
})

function passTheirOwn(): void {
  const root = tree(CORE)
  for (const [kind, id, , baseUrl, more] of LAID)
    newAdapter(root, kind, id, '--base-url', baseUrl, '--docs', 'https://docs.acme.example', ...more)
  install(root)
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const args = ['run', '--root', root, '--config', join(ROOT, 'vitest.config.ts'), '--maxWorkers=1', 'acme']
  const run = spawnSync(process.execPath, [program, ...args], { cwd: ROOT, encoding: 'utf8' })
  expect(run.status, run.stdout + run.stderr).toBe(0)
  expect(run.stdout).toMatch(/Test Files.*5 passed/)
}

/** What a new package imports, from this repository. */
function install(root: string): void {
  const packages = {
    '@headgate/core': 'packages/core',
    '@headgate/gateway': 'packages/gateway',
    '@headgate/conformance': 'packages/conformance',
    zod: 'packages/core/node_modules/zod',
  }
  mkdirSync(join(root, 'node_modules/@headgate'), { recursive: true })
  for (const [name, path] of Object.entries(packages)) symlinkSync(join(ROOT, path), join(root, 'node_modules', name))
}

import { chmodSync, chownSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runsFromSource } from '../src/entry.ts'
import { findAdapterPackages } from '../src/packages.ts'
import { adapterPackage, adapterSource } from './support/adapter-package.ts'
import { bareProgram, find, found, link, load } from './support/discovered.ts'
import { temporaryFolder } from './support/temporary.ts'

describe('adapters are found', () => {
  it('among the direct dependencies of the nearest package.json at or above the folder', () => {
    const folder = temporaryFolder({
      'package.json': {
        dependencies: { alpha: '1', plain: '1', absent: '1' },
        optionalDependencies: { '@acme/gamma': '1' },
      },
      ...adapterPackage('node_modules/alpha'),
      'node_modules/@acme/gamma/package.json': { name: '@acme/gamma', headgate: { adapter: 'search' } },
      'node_modules/plain/package.json': { name: 'plain' },
      'deep/below/it/file': '',
    })
    expect(find(join(folder, 'deep/below/it'))).toEqual(['alpha', '@acme/gamma'])
  })

  it('where a workspace has installed them, above the package', () => {
    const folder = temporaryFolder({
      ...adapterPackage('node_modules/alpha'),
      'apps/mine/package.json': { dependencies: { alpha: '1' } },
    })
    expect(find(join(folder, 'apps/mine'))).toEqual(['alpha'])
  })

  it('never among what is there for development: that is said', () => {
    const folder = temporaryFolder({
      'package.json': {
        dependencies: { alpha: '1' },
        devDependencies: { alpha: '1', beta: '1', plain: '1', absent: '1' },
      },
      ...adapterPackage('node_modules/alpha'),
      ...adapterPackage('node_modules/beta'),
      'node_modules/plain/package.json': { name: 'plain' },
    })
    expect(found(folder)).toEqual({
      names: ['alpha'],
      skipped: [`beta is in devDependencies of ${folder}/package.json: move it to dependencies to use it.`],
    })
  })

  it('never among the dependencies of a dependency', () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { alpha: '1' } },
      ...adapterPackage('node_modules/alpha', { manifest: { dependencies: { hidden: '1' } } }),
      ...adapterPackage('node_modules/alpha/node_modules/hidden'),
      ...adapterPackage('node_modules/hidden'),
    })
    expect(find(folder)).toEqual(['alpha'])
  })

  it('in the folders that the package.json names, where a trailing * passes over what is no adapter', () => {
    const folder = temporaryFolder({
      'package.json': { headgate: { adapters: ['packages/*', 'elsewhere/mine', 'nothing/*'] } },
      ...adapterPackage('packages/alpha'),
      ...adapterPackage('packages/beta'),
      'packages/notes/readme.md': '',
      'packages/plain/package.json': { name: 'plain' },
      ...adapterPackage('elsewhere/mine'),
    })
    expect(find(folder)).toEqual(['alpha', 'beta', 'mine'])
  })

  it('but a folder that is named outright must hold one', () => {
    const folder = temporaryFolder({ 'package.json': { headgate: { adapters: ['mine'] } } })
    expect(() => find(folder)).toThrow(`names "mine", but ${join(folder, 'mine/package.json')} has no "headgate"`)
  })

  it('among the dependencies of the program, also where there is no package.json at all', () => {
    const program = temporaryFolder({
      'package.json': { dependencies: { own: '1' } },
      ...adapterPackage('node_modules/own'),
    })
    expect(find(temporaryFolder(), program)).toEqual(['own'])
  })

  it('in the folders of HEADGATE_ADAPTER_FOLDERS too, where folders without a package.json are ignored', () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { alpha: '1' } },
      ...adapterPackage('node_modules/alpha'),
    })
    const further = temporaryFolder({
      'package.json': { dependencies: { beta: '1', bundle: '1' } },
      ...adapterPackage('node_modules/beta'),
      'node_modules/bundle/package.json': { dependencies: { gamma: '1' }, headgate: { adapters: ['gamma'] } },
      ...adapterPackage('node_modules/bundle/node_modules/gamma'),
    })
    const environment = { HEADGATE_ADAPTER_FOLDERS: [further, temporaryFolder()].join(delimiter) }
    expect(find(folder, bareProgram(), environment)).toEqual(['alpha', 'beta', 'gamma'])
  })

  it('once, when two links lead to one package', () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { alpha: '1' }, headgate: { adapters: ['packages/*'] } },
      ...adapterPackage('packages/alpha'),
    })
    link(join(folder, 'packages/alpha'), join(folder, 'node_modules/alpha'))
    const found = findAdapterPackages({ folder, program: bareProgram(), environment: {} })
    expect(found.map(({ path }) => path)).toEqual([join(folder, 'packages/alpha')])
  })

  it('and a kind that does not exist is refused', () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { odd: '1' } },
      ...adapterPackage('node_modules/odd', { kind: 'model' }),
    })
    expect(() => find(folder)).toThrow('headgate.adapter: found "model"; allowed: "provider", "search"')
  })
})

const STRANGER = 4711

/** Only root can give a file to another user. */
describe.runIf(process.getuid?.() === 0)('Adapters of another user', () => {
  const project = { 'package.json': { dependencies: { alpha: '1' } }, ...adapterPackage('node_modules/alpha') }

  /** Gives these paths of a folder to somebody else. */
  function giveAway(folder: string, ...paths: string[]): void {
    for (const path of paths) chownSync(join(folder, path), STRANGER, STRANGER)
  }

  it.each([['.'], ['package.json']])('are left alone in a parent folder whose %s is theirs: that is said', (path) => {
    const folder = temporaryFolder({ ...project, 'mine/file': '' })
    giveAway(folder, path)
    const { names, skipped } = found(join(folder, 'mine'))
    expect([names, skipped.length]).toEqual([[], 1])
    expect(skipped[0]).toContain(
      `${join(folder, 'package.json')}: ${join(folder, path)} belongs to another user (uid 4711)`,
    )
  })

  it('count in the folder of the command itself, as in a container that runs as root over the files of its host', () => {
    const folder = temporaryFolder({ ...project, 'below/file': '' })
    giveAway(folder, '.', 'package.json', 'node_modules', 'node_modules/alpha', 'node_modules/alpha/package.json')
    expect(found(folder)).toEqual({ names: ['alpha'], skipped: [] })
    expect(found(join(folder, 'below')).names).toEqual([])
    giveAway(folder, 'below')
    expect(found(join(folder, 'below'))).toEqual({ names: ['alpha'], skipped: [] })
  })

  it('are left alone in the folder of the command where everybody may put something into it', () => {
    const folder = temporaryFolder(project)
    chmodSync(folder, 0o1777)
    expect(found(folder)).toEqual({ names: ['alpha'], skipped: [] })
    giveAway(folder, 'node_modules')
    expect(found(folder)).toMatchObject({
      names: [],
      skipped: [expect.stringContaining('node_modules belongs to another user')],
    })
    giveAway(folder, 'package.json')
    expect(found(folder)).toMatchObject({
      names: [],
      skipped: [expect.stringContaining('package.json belongs to another user')],
    })
  })

  it('are left alone where a dependency that is not installed is found in a folder above', () => {
    const folder = temporaryFolder({
      ...adapterPackage('node_modules/alpha'),
      'mine/package.json': { dependencies: { alpha: '1' } },
    })
    const mine = join(folder, 'mine')
    expect(found(mine)).toEqual({ names: ['alpha'], skipped: [] })
    giveAway(folder, '.', 'node_modules')
    const path = join(folder, 'node_modules/alpha')
    expect(found(mine)).toEqual({
      names: [],
      skipped: [`Ignored the adapter in ${path}: ${folder} belongs to another user (uid 4711). Install it in ${mine}.`],
    })
  })

  it('that a project of one’s own has installed for another user count', () => {
    const folder = temporaryFolder(project)
    giveAway(folder, 'node_modules', 'node_modules/alpha')
    expect(found(folder)).toEqual({ names: ['alpha'], skipped: [] })
  })
})

describe('adapters are loaded', () => {
  const project = { 'package.json': { dependencies: { alpha: '1', beta: '1' } } }

  it('through the exports of their packages', async () => {
    const folder = temporaryFolder({
      ...project,
      ...adapterPackage('node_modules/alpha', { manifest: { exports: './index.js' } }),
      ...adapterPackage('node_modules/beta', { manifest: { exports: { types: './no.d.ts', import: './index.js' } } }),
    })
    expect((await load(folder)).map(({ id }) => id)).toEqual(['alpha', 'beta'])
  })

  it('from their sources when the process itself runs from sources, if they are there', async () => {
    const exports = { '.': { '@headgate/source': './source.js', default: './index.js' } }
    const folder = temporaryFolder({
      ...project,
      ...adapterPackage('node_modules/alpha', { id: 'built', manifest: { exports } }),
      'node_modules/alpha/source.js': adapterSource({ id: 'source' }),
      ...adapterPackage('node_modules/beta', { manifest: { exports } }),
    })
    expect((await load(folder, { fromSource: true })).map(({ id }) => id)).toEqual(['source', 'beta'])
    expect((await load(folder)).map(({ id }) => id)).toEqual(['built', 'beta'])
  })

  it.each([
    [['--conditions=@headgate/source'], '', true],
    [['-C', '@headgate/source'], '', true],
    [[], '--max-old-space-size=100 --conditions=@headgate/source', true],
    [['--conditions=development'], '', false],
  ])('where %o and NODE_OPTIONS %o mean sources: %o', (execArgv, nodeOptions, expected) => {
    expect(runsFromSource(execArgv, nodeOptions)).toBe(expected)
  })

  it('unless two are called the same: both places are named', async () => {
    const folder = temporaryFolder({
      ...project,
      ...adapterPackage('node_modules/alpha', { id: 'same' }),
      ...adapterPackage('node_modules/beta', { id: 'same', version: '2.0.0' }),
    })
    const places = `alpha@1.0.0 (${join(folder, 'node_modules/alpha')}) and beta@2.0.0 (${join(folder, 'node_modules/beta')})`
    await expect(load(folder)).rejects.toThrow(`Two adapters have the id "same": ${places}`)
  })

  it('both where a provider and a search backend are called the same, as some vendors are both', async () => {
    const folder = temporaryFolder({
      ...project,
      ...adapterPackage('node_modules/alpha', { id: 'same' }),
      ...adapterPackage('node_modules/beta', { id: 'same', kind: 'search' }),
    })
    const kinds = (await load(folder)).map(({ id, package: { kind } }) => `${kind} ${id}`)
    expect(kinds).toEqual(['provider same', 'search same'])
    expect((await load(folder, { only: ['same'] })).map(({ package: { name } }) => name)).toEqual(['alpha', 'beta'])
    expect((await load(folder, { only: ['beta'] })).map(({ package: { name } }) => name)).toEqual(['beta'])
  })

  it('unless they are made for another contract: both versions are named', async () => {
    const newer = temporaryFolder({ ...project, ...adapterPackage('node_modules/alpha', { contract: 2 }) })
    await expect(load(newer)).rejects.toThrow('requires contract 2, but this headgate has contract 1. Update headgate.')
    const older = temporaryFolder({ ...project, ...adapterPackage('node_modules/alpha', { contract: 0 }) })
    await expect(load(older)).rejects.toThrow(
      'requires contract 0, but this headgate has contract 1. Update the adapter.',
    )
  })

  it('or left out by the list of the configuration, by id or by name, even where they would be refused', async () => {
    const folder = temporaryFolder({
      ...project,
      ...adapterPackage('node_modules/alpha', { id: 'first', contract: 2 }),
      ...adapterPackage('node_modules/beta', { id: 'second' }),
    })
    expect((await load(folder, { only: ['second'] })).map(({ id }) => id)).toEqual(['second'])
    expect((await load(folder, { only: ['beta'] })).map(({ id }) => id)).toEqual(['second'])
    await expect(load(folder, { only: ['third'] })).rejects.toThrow(
      'adapters: found "third", which is not installed; installed: first, second',
    )
  })

  it.each([
    [
      'exports nothing of the kind',
      { 'node_modules/alpha/index.js': 'export const adapter = {}' },
      'exports no adapter',
    ],
    [
      'exports two',
      {
        'node_modules/alpha/index.js': `${adapterSource({ id: 'one' })}\nexport const other = Object.assign(() => {}, { id: 'two', kind: 'provider', contract: 1 })`,
      },
      'exports 2 adapters (one, two); allowed: one',
    ],
    [
      'is of another kind than its package.json says',
      { 'node_modules/alpha/index.js': adapterSource({ kind: 'search' }) },
      'but exports an adapter of kind "search"',
    ],
    [
      'throws',
      { 'node_modules/alpha/index.js': 'throw new Error("no such thing")' },
      'cannot be loaded: no such thing',
    ],
    [
      'is not built',
      {
        'node_modules/alpha/package.json': {
          name: 'alpha',
          headgate: { adapter: 'provider' },
          exports: './dist/index.js',
        },
      },
      'dist/index.js does not exist. Build the package',
    ],
    [
      'has no exports',
      { 'node_modules/alpha/package.json': { name: 'alpha', headgate: { adapter: 'provider' } } },
      'has no `exports`',
    ],
  ])('but one that %s is refused, and named', async (_, files, message) => {
    const folder = temporaryFolder({ ...project, ...adapterPackage('node_modules/alpha'), ...files })
    const loading = load(folder)
    await expect(loading).rejects.toThrow(message)
    await expect(loading).rejects.toThrow(join(folder, 'node_modules/alpha'))
  })
})

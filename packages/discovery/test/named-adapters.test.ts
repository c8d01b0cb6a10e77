import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findAdapterPackages } from '../src/packages.ts'
import { adapterPackage } from './support/adapter-package.ts'
import { find, found, link, load } from './support/discovered.ts'
import { temporaryFolder } from './support/temporary.ts'

describe('adapters that a direct dependency names as its own', () => {
  it('are found: of what it depends on these alone, and not what they name in turn', () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { whole: '1' } },
      'node_modules/whole/package.json': {
        name: 'whole',
        dependencies: { alpha: '1', beta: '1', hidden: '1', plain: '1', absent: '1' },
        devDependencies: { gamma: '1' },
        headgate: { adapters: ['alpha', 'beta', 'plain', 'absent', 'gamma', 'packages/*'] },
      },
      ...adapterPackage('node_modules/alpha', {
        manifest: { dependencies: { deep: '1' }, headgate: { adapter: 'provider', adapters: ['deep'] } },
      }),
      ...adapterPackage('node_modules/whole/node_modules/beta'),
      ...adapterPackage('node_modules/gamma'),
      ...adapterPackage('node_modules/hidden'),
      ...adapterPackage('node_modules/deep'),
      'node_modules/plain/package.json': { name: 'plain' },
    })
    expect(found(folder)).toEqual({
      names: ['alpha', 'beta'],
      skipped: [
        'whole names "gamma" in headgate.adapters, which is not one of its dependencies. The entry was ignored.',
        'whole names "packages/*" in headgate.adapters, which is not one of its dependencies. The entry was ignored.',
      ],
    })
  })

  it('are left out where the project or the program has them by the same name', () => {
    const whole = {
      name: 'whole',
      dependencies: { alpha: '1', own: '1', beta: '1' },
      headgate: { adapters: ['alpha', 'own', 'beta'] },
    }
    const folder = temporaryFolder({
      'package.json': { dependencies: { whole: '1', alpha: '2' } },
      'node_modules/whole/package.json': whole,
      ...adapterPackage('node_modules/alpha', { version: '2.0.0' }),
      ...adapterPackage('node_modules/whole/node_modules/alpha'),
      ...adapterPackage('node_modules/beta'),
      ...adapterPackage('node_modules/own'),
    })
    const program = temporaryFolder({
      'package.json': { dependencies: { own: '1' } },
      ...adapterPackage('node_modules/own'),
    })
    const paths = findAdapterPackages({ folder, program, environment: {} }).map(({ path }) => path)
    expect(paths).toEqual([
      join(folder, 'node_modules/alpha'),
      join(program, 'node_modules/own'),
      join(folder, 'node_modules/beta'),
    ])
  })

  it('are left out where it is a dependency of a dependency', () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { plain: '1' } },
      'node_modules/plain/package.json': { name: 'plain', dependencies: { whole: '1' } },
      'node_modules/whole/package.json': {
        name: 'whole',
        dependencies: { alpha: '1' },
        headgate: { adapters: ['alpha'] },
      },
      ...adapterPackage('node_modules/alpha'),
    })
    expect(find(folder)).toEqual([])
  })

  it('are found beside it, where a package manager keeps them', () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { whole: '1' } },
      'node_modules/.store/whole@1/node_modules/whole/package.json': {
        name: 'whole',
        dependencies: { alpha: '1' },
        headgate: { adapters: ['alpha'] },
      },
      ...adapterPackage('node_modules/.store/whole@1/node_modules/alpha'),
    })
    link(join(folder, 'node_modules/.store/whole@1/node_modules/whole'), join(folder, 'node_modules/whole'))
    expect(find(folder)).toEqual(['alpha'])
  })

  it('give way to another of the project’s by the same id', async () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { whole: '1', beta: '1' } },
      'node_modules/whole/package.json': {
        name: 'whole',
        dependencies: { alpha: '1' },
        headgate: { adapters: ['alpha'] },
      },
      ...adapterPackage('node_modules/alpha', { id: 'same' }),
      ...adapterPackage('node_modules/beta', { id: 'same' }),
    })
    expect((await load(folder)).map(({ package: { name } }) => name)).toEqual(['beta'])
    expect((await load(folder, { only: ['alpha'] })).map(({ package: { name } }) => name)).toEqual(['alpha'])
  })

  it.runIf(process.getuid?.() === 0)('are left alone where it belongs to another user', () => {
    const folder = temporaryFolder({
      ...adapterPackage('node_modules/alpha'),
      'package.json': { dependencies: { whole: '1' } },
      'node_modules/whole/package.json': {
        name: 'whole',
        dependencies: { alpha: '1' },
        headgate: { adapters: ['alpha'] },
      },
    })
    expect(found(folder).names).toEqual(['alpha'])
    chmodSync(join(folder, 'node_modules'), 0o1777)
    chownSync(join(folder, 'node_modules/whole'), 4711, 4711)
    expect(found(folder)).toMatchObject({
      names: [],
      skipped: [expect.stringContaining('node_modules/whole belongs to another user')],
    })
  })
})

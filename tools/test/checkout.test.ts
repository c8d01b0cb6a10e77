import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findAdapterPackages } from '../../packages/discovery/src/packages.ts'
import { PAGES, ROOT } from './repository-pages.ts'
import { tree } from './tree.ts'

const execute = promisify(execFile)
const { version } = JSON.parse(readFileSync(join(ROOT, 'apps/server/package.json'), 'utf8'))
const BIN = join(ROOT, 'node_modules/.bin')

describe('A checkout', () => {
  it('has the program where npx looks, in each of its folders, and asks no registry for it', {
    tags: ['full'],
  }, async () => {
    for (const cwd of [ROOT, join(ROOT, 'docs')]) {
      const environment = { ...process.env, npm_config_registry: 'http://127.0.0.1:9' }
      const { stdout } = await execute('npx', ['--no-install', 'headgate', '--version'], { cwd, env: environment })
      expect(stdout).toBe(`${version}\n`)
    }
  })

  it('serves with every adapter, which are those of @headgate/all', () => {
    const all = JSON.parse(readFileSync(join(ROOT, 'packages/all/package.json'), 'utf8'))
    const found = findAdapterPackages({
      folder: join(ROOT, 'docs'),
      program: join(ROOT, 'apps/server'),
      environment: {},
    }).map(({ name }) => name)
    expect(found.sort()).toEqual(all.headgate.adapters)
    expect(Object.keys(all.dependencies)).toEqual(all.headgate.adapters)
  })

  it('runs it on the Node that it brings, whichever one the shell has', { tags: ['full'] }, async (context) => {
    if (!existsSync(join(BIN, 'node'))) return context.skip('This checkout brings no Node for this machine.')
    const other = tree({ node: '#!/bin/sh\necho "another Node"\n' })
    chmodSync(join(other, 'node'), 0o755)
    const { stdout } = await execute(join(BIN, 'headgate'), ['--version'], {
      env: { PATH: `${other}${delimiter}/usr/bin:/bin` },
    })
    expect(stdout).toBe(`${version}\n`)
  })
})

describe('The documents', () => {
  it('let npx run what is installed only: the name is free at the registry until it is published', () => {
    const asking = PAGES.flatMap(({ page, text }) =>
      (text.match(/\bnpx (?!--no-install )(-\S+ )*headgate\b.*/g) ?? []).map((line) => `${page}: ${line}`),
    )
    expect(asking).toEqual([])
  })
})

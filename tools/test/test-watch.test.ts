import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './repository-pages.ts'

const watch = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'tools/test-watch.ts'), ...args], { encoding: 'utf8' })

it.each([
  [['nobody'], 'No package or path matches "nobody".\n'],
  [[], 'usage: pnpm test:watch <package or path>\n'],
])('pnpm test:watch %o is told what is wrong', (args, stderr) => {
  expect(watch(...args)).toMatchObject({ status: 1, stderr })
})

it('pnpm test:watch takes a package by the last part of its name', { tags: ['full'] }, () => {
  const { stdout } = watch('search-brave', '--run')
  expect(stdout).toMatch(/Test Files.*passed/)
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const folder = '.github/workflows'
const workflows = readdirSync(join(root, folder)).map((name) => [name, read(join(folder, name))] as const)

describe('What runs with the rights to release', () => {
  it.each(workflows)('pins each action of %s by commit', (_, workflow) => {
    const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action)
    expect(actions).not.toEqual([])
    expect(actions.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action ?? ''))).toEqual([])
  })

  it.each(workflows)('uses no stored secret in %s', (_, workflow) => {
    expect(workflow).not.toMatch(/secrets\./)
  })

  it('publishes only after the checks', () => {
    expect(read('.github/workflows/release.yml')).toMatch(/publish:\n {4}needs: \[check, /)
  })

  it('pins the base image by digest', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    expect(images.length).toBeGreaterThan(0)
    for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  })

  it('pins pnpm by the digest of the version in package.json', () => {
    const { packageManager }: { packageManager?: string } = JSON.parse(read('package.json'))
    const version = packageManager?.replace('pnpm@', '')
    const lines = read('.ci/pnpm.sha512').trim().split('\n')
    expect(lines.map((line) => line.replace(/^[0-9a-f]{128} {2}/, ''))).toEqual(
      ['linux-arm64', 'linux-x64'].map((platform) => `pnpm-exe.${platform}-${version}.tgz`),
    )
    for (const name of [...workflows.map(([, workflow]) => workflow), read('Dockerfile')])
      expect(name).not.toMatch(/npx .*pnpm/)
  })
})

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-image-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function run(command: string, args: readonly string[], cwd: string, environment: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  })
  expect(status, stderr).toBe(0)
  return stdout
}

it('The image has every adapter of @headgate/all', { tags: ['full'] }, () => {
  const app = join(temporary(), 'app')
  const [, deploy] = dockerfile.match(/&& pnpm (--filter .* deploy .*) \/app$/m) ?? []
  const [, entry] = dockerfile.match(/ENTRYPOINT \["node", "\/app\/(.*)"\]/) ?? []
  run(join(root, 'node_modules/.bin/pnpm'), [...(deploy ?? '').split(' '), app], root)

  const listed = run(process.execPath, [join(app, entry ?? ''), 'adapters'], temporary(), {
    HEADGATE_ADAPTER_FOLDERS: `${app}:/adapters`,
  })
  const all: { headgate: { adapters: readonly string[] } } = JSON.parse(
    readFileSync(join(root, 'packages/all/package.json'), 'utf8'),
  )
  const missing = all.headgate.adapters.filter((name) => !listed.includes(`node_modules/${name}`))
  expect(missing).toEqual([])
})

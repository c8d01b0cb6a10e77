import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')
const SERVER = join(ROOT, 'apps/server')
const GATEWAY = join(ROOT, 'packages/gateway')

/** Old Nodes are kept from run to run: 100 MB each. */
const FOLDER = join(ROOT, 'node_modules/.cache/headgate-nodes')

/** npm's packages of Node have one name for each kind of machine. */
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

function said(node: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8', env: { PATH: process.env['PATH'] } })
  return { status, stdout, stderr }
}

/** A Node of this version, which npm brings where it is not yet there. */
function oldNode(version: string): string {
  const folder = join(FOLDER, version)
  const node = join(folder, 'node_modules', PACKAGE, 'bin/node')
  if (existsSync(node)) return node
  mkdirSync(folder, { recursive: true })
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--loglevel=error',
    `${PACKAGE}@${version}`,
  ]
  execFileSync('npm', args, { stdio: 'ignore', timeout: 280_000 })
  return node
}

/** This Node, which says that it is another one. */
function pretending(version: string): string[] {
  const source = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`, '--conditions=@headgate/source']
}

const sentence = (version: string, file: string) =>
  `headgate: Node 22.19 or newer is required, but this is Node ${version}. Install a newer one from https://nodejs.org/en/download, or let npm download one: npx -y node@24 ${file}\n`

describe('A Node that is too old', () => {
  it.each(['18.20.8', '20.20.2', '22.12.0', '22.18.1'])(
    '%s is told what is needed and how to get it, in one sentence',
    (version) => {
      const file = join(SERVER, 'src/cli.ts')
      expect(said(process.execPath, [...pretending(version), file, '--version'])).toEqual({
        status: 1,
        stdout: '',
        stderr: sentence(version, file),
      })
      const core = said(process.execPath, [
        ...pretending(version),
        '-e',
        `import(${JSON.stringify(join(GATEWAY, 'src/index.ts'))})`,
      ])
      expect(core.stderr).toContain(
        `Error: @headgate/gateway needs Node 22.19 or newer; this is Node ${version}. Install a newer version`,
      )
    },
  )

  it.each(['22.19.0', '24.0.0'])('is none from what the packages name on: %s', (version) => {
    expect(said(process.execPath, [...pretending(version), join(SERVER, 'src/cli.ts'), '--version'])).toMatchObject({
      status: 0,
      stderr: '',
    })
    for (const folder of [SERVER, GATEWAY]) {
      const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      expect(engines).toEqual({ node: '>=22.19' })
    }
  })

  it.each(['20.19.5', '22.12.0'])(
    'is told so by what is built, on a real Node %s',
    { tags: ['full'], timeout: 300_000 },
    (version) => {
      const node = oldNode(version)
      for (const file of [join(SERVER, 'dist/cli.js'), join(SERVER, 'bin/headgate.js')])
        expect(said(node, [file, '--version'])).toEqual({ status: 1, stdout: '', stderr: sentence(version, file) })
      const core = said(node, ['-e', `import(${JSON.stringify(join(GATEWAY, 'dist/index.js'))})`])
      expect(core.stderr).toContain(
        `Error: @headgate/gateway needs Node 22.19 or newer; this is Node ${version}. Install a newer version`,
      )
    },
  )
})

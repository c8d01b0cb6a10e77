import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addBase, imageFacts, type Layout, layOut, type Variant } from '../image/layout.ts'
import { BASE_BYTES, BOUNDS, layerSize } from '../image/size.ts'
import { freePort } from '../postgres.ts'

const root = join(import.meta.dirname, '../..')
const FULL = { tags: ['full'], timeout: 300_000 }

/** User id that no file of the image knows. */
const USER = 12_345

const isRoot = process.getuid?.() === 0
const canIsolate = isRoot && spawnSync('unshare', ['-m', 'true']).status === 0

/**
 * Shell script that makes the root folder `$1` read-only with memory file systems at /data and /tmp, and becomes the
 * rest of its arguments in it, as a user without rights. It runs in its own mount namespace. As in Kubernetes, root owns
 * /data.
 */
const ISOLATE = `set -eu
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t tmpfs -o size=64m,mode=2777,uid=0,gid=${USER} none "$root/data"
mount -t tmpfs -o size=16m,mode=1777 none "$root/tmp"
mount --bind /proc "$root/proc"
mount --bind /dev/null "$root/dev/null"
mount --bind /dev/urandom "$root/dev/urandom"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs "$(command -v chroot)" --userspec=${USER}:${USER} "$root" "$@"`

/** Starts a command in a root folder, as a container runtime does. */
function launch(folder: string, args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn('unshare', ['-m', '/bin/sh', '-c', ISOLATE, 'sh', folder, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly output: string }> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new TypeError('The command has no output.')
  const [out, error, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { code, output: out + error }
}

describe.each<Variant>(['full', 'slim'])('The image `%s`', (variant) => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-image-'))
  let layout: Layout
  beforeAll(() => {
    layout = layOut(variant, folder)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is not too large', FULL, async () => {
    const layers = await Promise.all([layerSize('node', layout.node), layerSize('app', layout.app)])
    expect(layers.every(({ bytes, compressed }) => bytes > compressed && compressed > 1_000_000)).toBe(true)
    expect(layers.reduce((sum, { compressed }) => sum + compressed, BASE_BYTES)).toBeLessThan(BOUNDS[variant])
  })

  it('has the adapters that its package names', FULL, () => {
    const app = join(layout.app, 'app')
    const { entry, environment } = imageFacts()
    const program = join(app, (entry[1] ?? '').replace('/app/', ''))
    const { stdout, status } = spawnSync(process.execPath, [program, 'adapters'], {
      cwd: folder,
      encoding: 'utf8',
      env: { HEADGATE_ADAPTER_FOLDERS: (environment['HEADGATE_ADAPTER_FOLDERS'] ?? '').replace('/app', app) },
    })
    expect(status).toBe(0)
    const all: { headgate: { adapters: readonly string[] } } = JSON.parse(
      readFileSync(join(root, 'packages/all/package.json'), 'utf8'),
    )
    const { dependencies }: { dependencies: object } = JSON.parse(
      readFileSync(join(root, 'apps/server/package.json'), 'utf8'),
    )
    const found = all.headgate.adapters.filter((name) => stdout.includes(`node_modules/${name}`))
    expect(found).toEqual(all.headgate.adapters.filter((name) => variant === 'full' || name in dependencies))
    expect(found.length).toBeGreaterThan(4)
  })

  it.skipIf(!canIsolate)(
    'runs as any user without a volume, a writable root or a shell (skipped without root)',
    FULL,
    async () => {
      const image = join(folder, 'root')
      const { entry, health, environment, folder: working } = imageFacts()
      mkdirSync(image)
      for (const [layer, name] of [
        [layout.node, 'usr'],
        [layout.app, 'app'],
      ] as const)
        renameSync(join(layer, name), join(image, name))
      addBase(image)
      for (const one of ['data', 'tmp', 'proc', 'dev']) mkdirSync(join(image, one), { recursive: true })
      for (const one of ['dev/null', 'dev/urandom']) writeFileSync(join(image, one), '')
      for (const shell of ['bin/sh', 'usr/bin/sh', 'bin/bash']) expect(existsSync(join(image, shell))).toBe(false)

      const [node = ''] = entry
      const PORT = String(await freePort())
      const variables = { ...environment, HOST: '127.0.0.1', PORT, HEADGATE_API_KEYS: 'sk-local-of-image' }
      // A chroot begins at `/`; the working folder is the configuration's.
      const placed = { ...variables, HEADGATE_DATA_DIR: working }
      expect(await ended(launch(image, health, placed))).toMatchObject({ code: 1 })

      const child = launch(image, entry, placed)
      const running = ended(child)
      const url = `http://127.0.0.1:${PORT}`
      const ready = () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      await vi.waitUntil(async () => child.exitCode !== null || (await ready()), { timeout: 120_000, interval: 100 })
      if (child.exitCode !== null) throw new Error((await running).output)

      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      expect(status).toMatch(new RegExp(`^Uid:\\s+${USER}\\s+${USER}`, 'm'))
      expect(status).toMatch(/^CapEff:\s+0+$/m)
      expect(await ended(launch(image, health, placed))).toMatchObject({ code: 0 })
      const write = 'try { fs.writeFileSync("/app/x", "") } catch (error) { console.log(error.code) }'
      expect((await ended(launch(image, [node, '-e', write], placed))).output).toMatch(/EROFS|EACCES/)
      const answer = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-local-of-image' } })
      expect(answer.status).toBe(200)
      child.kill('SIGTERM')
      expect(await running).toMatchObject({ code: 0 })
    },
  )
})

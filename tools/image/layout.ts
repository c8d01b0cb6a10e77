import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Variants of the container image: with all adapters, and with the adapters of the package `headgate` only. */
export const VARIANTS = { full: 'headgate-image', slim: 'headgate-slim' } as const
export type Variant = keyof typeof VARIANTS

/** Facts that the Dockerfile states, for layouts without a container runtime. */
export interface ImageFacts {
  /** Command of the program, with absolute paths in the image. */
  readonly entry: readonly string[]
  /** Command that checks the health of a running container. */
  readonly health: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
}

/** Reads the facts of the Dockerfile. @throws TypeError if an instruction is missing */
export function imageFacts(): ImageFacts {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  const found = (pattern: RegExp): string => {
    const [, text] = pattern.exec(dockerfile) ?? []
    if (text === undefined) throw new TypeError(`The Dockerfile has no ${pattern.source}.`)
    return text
  }
  const variables = found(/^ENV (NODE_ENV=.*)$/m).split(' ')
  return {
    entry: JSON.parse(found(/^ENTRYPOINT (\[.*\])$/m)),
    health: JSON.parse(found(/^ {2}CMD (\[.*\])$/m)),
    environment: Object.fromEntries(variables.map((pair) => pair.split('=', 2))),
    folder: found(/^WORKDIR (\/data)$/m),
  }
}

/** Layers of an image above its base: the files of each, in a folder of the same paths as in the image. */
export interface Layout {
  readonly node: string
  readonly app: string
}

/**
 * Lays out what the Dockerfile copies into an image. Requires a build (`pnpm build`).
 * @param folder empty folder for the layers
 * @throws Error with the output of pnpm if it fails
 */
export function layOut(variant: Variant, folder: string): Layout {
  const layout = { node: join(folder, 'node'), app: join(folder, 'app') }
  const program = join(layout.node, 'usr/local/bin/node')
  mkdirSync(dirname(program), { recursive: true })
  copyFileSync(nodeOfCheckout(), program)
  const pnpm = join(ROOT, 'node_modules/.bin/pnpm')
  const target = join(layout.app, 'app')
  const { status, stderr, stdout } = spawnSync(
    pnpm,
    ['--filter', VARIANTS[variant], 'deploy', '--prod', '--legacy', target],
    { cwd: ROOT, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`pnpm deploy failed: ${stdout}${stderr}`)
  return layout
}

/** Program of the Node that the checkout pins, which has the version of the image. */
function nodeOfCheckout(): string {
  const require = createRequire(join(ROOT, 'package.json'))
  const name = `node-linux-${process.arch}`
  return join(dirname(require.resolve(`${name}/package.json`)), 'bin/node')
}

/**
 * Adds to a root folder what the base image gives a program: the dynamic linker, its libraries, certificates and
 * names of users. They come from this machine. There is no shell.
 * @throws Error if `ldd` is missing
 */
export function addBase(root: string): void {
  const { status, stdout } = spawnSync('ldd', [nodeOfCheckout()], { encoding: 'utf8' })
  if (status !== 0) throw new Error('ldd failed: the libraries of Node are unknown.')
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
  const files = [...libraries, ...['/etc/ssl/certs/ca-certificates.crt'].filter((path) => existsSync(path))]
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    copyFileSync(realpathSync(path), join(root, path))
  }
  mkdirSync(join(root, 'etc'), { recursive: true })
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532::/home/nonroot:/sbin/nologin\n',
  )
}

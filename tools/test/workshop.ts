import { execFile } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { NODE_COMPILE_CACHE, PROGRAM } from '../../apps/server/test/tested.ts'
import { ROOT } from './repository-pages.ts'

const execute = promisify(execFile)
const CONDITION = '--conditions=@headgate/source'
/** How long one command may take, in milliseconds. */
const PATIENCE = 120_000

/** What a command wrote. Rejects with all of it when it failed. */
export interface Said {
  readonly stdout: string
  readonly stderr: string
}

/** A folder of a user's, in which every package of this repository is installed. */
export interface Workshop {
  readonly path: string
  write(file: string, text: string): string
  node(file: string, environment?: Readonly<Record<string, string>>): Promise<Said>
  /** `curl`, `npx --no-install headgate` and `headgate` are there; the first command that fails ends the script. */
  shell(script: string, environment?: Readonly<Record<string, string>>, patience?: number): Promise<Said>
  /** Checks the types of the TypeScript files at the top. */
  typeCheck(): Promise<Said>
  remove(): void
}

export function openWorkshop(path = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-docs-')))): Workshop {
  const bin = join(path, 'bin')
  installPackages(path)
  writeFileSync(
    join(path, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      headgate: {
        adapters: ['packages/search/*', 'packages/sinks/*', 'packages/providers/local'].map((folder) =>
          join(ROOT, folder),
        ),
      },
    }),
  )
  command(bin, 'curl', `exec node "${join(import.meta.dirname, 'curl.ts')}" "$@"`)
  command(bin, 'headgate', `exec node ${PROGRAM.map((word) => `"${word}"`).join(' ')} "$@"`)
  command(bin, 'npx', 'test "$1" = --no-install; shift; exec "$@"')
  const PATH = `${bin}:${dirname(process.execPath)}:${process.env['PATH']}`
  const run = (file: string, args: readonly string[], environment = {}, timeout = PATIENCE): Promise<Said> =>
    execute(file, args, { cwd: path, env: { PATH, HOME: path, NODE_COMPILE_CACHE, ...environment }, timeout })

  const write = (file: string, text: string): string => {
    const target = join(path, file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
    return target
  }
  return {
    path,
    write,
    node: (file, environment) => run(process.execPath, [CONDITION, file], environment),
    shell: (script, environment, patience) => run('/bin/sh', ['-euc', script], environment, patience),
    typeCheck: () => {
      write('tsconfig.json', JSON.stringify(TYPES))
      // Checkers side by side do three times the work of one, and are no sooner done beside other tests.
      return run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', path, '--singleThreaded'])
    },
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}

const TYPES = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2024'],
    module: 'nodenext',
    customConditions: ['@headgate/source'],
    types: ['node'],
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
}

function command(bin: string, name: string, line: string): void {
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`)
  chmodSync(join(bin, name), 0o755)
}

/** Links the packages of the repository, and what the root of it has installed of others. */
function installPackages(path: string): void {
  const modules = join(path, 'node_modules')
  const packagesIn = (folder: string, prefix: string) =>
    readdirSync(join(ROOT, folder)).map((id) => [`${prefix}${id}`, `${folder}/${id}`])
  const own = [
    ['headgate', 'apps/server'],
    ['@headgate/dashboard', 'apps/dashboard'],
    ['@headgate/docs', 'apps/docs'],
    ['@headgate/core', 'packages/core'],
    ['@headgate/gateway', 'packages/gateway'],
    ['@headgate/conformance', 'packages/conformance'],
    ['@headgate/store', 'packages/store'],
    ['@headgate/accounts', 'packages/accounts'],
    ['@headgate/fleet', 'packages/fleet'],
    ['@headgate/telemetry', 'packages/telemetry'],
    ['@headgate/discovery', 'packages/discovery'],
    ['@headgate/import-litellm', 'packages/import-litellm'],
    // Of the package whose tests need it.
    ['cohere-ai', 'packages/providers/cohere/node_modules/cohere-ai'],
    ...packagesIn('packages/providers', '@headgate/provider-'),
    ...packagesIn('packages/search', '@headgate/search-'),
    ...packagesIn('packages/sinks', '@headgate/sink-'),
  ]
  const foreign = [
    'openai',
    '@openai/agents',
    '@langchain/openai',
    '@anthropic-ai/sdk',
    '@google/genai',
    '@googleapis/customsearch',
    'ai',
    '@ai-sdk/openai',
    '@ai-sdk/openai-compatible',
    'zod',
    'vitest',
    '@types/node',
  ]
  for (const [name = '', folder = ''] of [...own, ...foreign.map((name) => [name, `node_modules/${name}`])]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, folder), join(modules, name))
  }
}

import { type ChildProcess, execFile, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const folder = import.meta.dirname
const VERDACCIO = join(folder, 'node_modules/verdaccio/bin/verdaccio')

/** A registry on this machine, which has what is published to it and hands through what others have published. */
export interface Registry {
  readonly url: string
  /** A folder that is gone when the registry is. */
  readonly folder: string
  /** Runs a command of a user who knows this registry and no other. What it wrote. */
  run(
    cwd: string,
    command: string,
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<string>
  /** The variables of such a command. */
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** How long one command may take, in milliseconds: packages are fetched. */
const PATIENCE = 300_000

/** Opens a registry; a sentence where there can be none, as nothing can be fetched. */
export async function openRegistry(): Promise<Registry | string> {
  const upstream = await configuredRegistry()
  if (!(await answers(`${upstream}verdaccio`))) return 'No registry of packages can be reached from here.'
  if (!existsSync(VERDACCIO)) installVerdaccio()
  if (!existsSync(VERDACCIO)) return 'Verdaccio can not be installed here.'

  const home = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-registry-')))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const config = join(home, 'config.json')
  // JSON is YAML as well.
  writeFileSync(config, JSON.stringify(configuration(home, upstream)))
  const npmrc = join(home, '.npmrc')
  writeFileSync(
    npmrc,
    [
      `registry=${url}`,
      `//127.0.0.1:${port}/:_authToken=anybody`,
      `cache=${join(home, 'cache')}`,
      'provenance=false',
      'audit=false',
      'fund=false',
      'update-notifier=false',
      '',
    ].join('\n'),
  )
  const server = fork(VERDACCIO, ['--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: 'ignore',
    cwd: home,
    execArgv: [],
  })
  await started(server)

  const environment = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: home,
    npm_config_userconfig: npmrc,
    npm_config_registry: url,
    npm_config_yes: 'true',
  }
  return {
    url,
    folder: home,
    environment,
    async run(cwd, command, args, more = {}) {
      const { stdout } = await execute(command, args, {
        cwd,
        env: { ...environment, ...more },
        timeout: PATIENCE,
        maxBuffer: 2 ** 26,
      })
      return stdout
    },
    async close() {
      const exit = once(server, 'exit')
      if (server.exitCode === null && server.kill('SIGKILL')) await exit
      rmSync(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** What is of this repository is never asked of another registry. */
function configuration(home: string, upstream: string): object {
  const own = { access: '$all', publish: '$all' }
  mkdirSync(join(home, 'storage'))
  return {
    storage: join(home, 'storage'),
    auth: { htpasswd: { file: join(home, 'htpasswd'), max_users: -1 } },
    uplinks: { configured: { url: upstream, maxage: '1h', timeout: '60s', max_fails: 20, cache: true } },
    packages: {
      '@headgate/*': own,
      headgate: own,
      'headgate-*': own,
      'create-headgate-adapter': own,
      '**': { access: '$all', proxy: 'configured' },
    },
    max_body_size: '100mb',
    publish: { allow_offline: true },
    log: { type: 'file', path: join(home, 'log'), level: 'warn' },
  }
}

async function configuredRegistry(): Promise<string> {
  const { stdout } = await execute('npm', ['config', 'get', 'registry'], { cwd: folder })
  return stdout.trim().replace(/\/*$/, '/')
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(20_000) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}

function installVerdaccio(): void {
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  spawnSync('npm', args, { cwd: folder, stdio: 'ignore', timeout: PATIENCE })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** Verdaccio tells its parent when it listens. */
async function started(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`Verdaccio ended with ${code}.`)))
  await Promise.race([once(server, 'message'), ended])
  ended.catch(() => undefined)
}

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { type LoopbackUpstream, scenarios, startUpstream, vendorOf } from '../../packages/conformance/src/index.ts'
import { openRegistry, type Registry } from './registry/registry.ts'
import { ROOT } from './repository-pages.ts'

const PNPM = join(ROOT, 'node_modules/.bin/pnpm')
const KEY = 'sk-local'

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** What the packages of one user were asked for, in seconds: said at the end. */
const took: string[] = []

describe('All packages, published to a registry of their own', { tags: ['full'], timeout: 900_000 }, () => {
  let registry: Registry | undefined
  let upstream: LoopbackUpstream
  let reason = ''
  let published = ''
  const running: ChildProcess[] = []

  beforeAll(async () => {
    if (!existsSync(join(ROOT, 'packages/core/dist')))
      throw new Error('Built packages are what is published: run `pnpm build`.')
    const opened = await openRegistry()
    if (typeof opened === 'string') {
      reason = `${opened} What installs packages is left out.`
      process.stdout.write(`${reason}\n`)
    } else {
      registry = opened
      upstream = await startUpstream()
      const publish = ['--recursive', 'publish', '--access', 'public', '--no-git-checks', '--registry', opened.url]
      published = await timed('publishing', () => opened.run(ROOT, PNPM, publish))
    }
  }, 900_000)

  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL')
    await upstream?.close()
    await registry?.close()
    if (took.length > 0) process.stdout.write(`Packages from a registry: ${took.join(', ')}.\n`)
    // Tens of thousands of files are removed.
  }, 300_000)

  /** Starts the program of a project, in which only what it installs is found, and asks once. */
  async function serves(
    { environment }: Registry,
    project: string,
    model: string,
    more: Readonly<Record<string, string>>,
  ) {
    const child = spawn(join(project, 'node_modules/.bin/headgate'), ['--port', '0'], {
      cwd: project,
      env: { ...environment, HEADGATE_API_KEYS: KEY, ...more },
    })
    running.push(child)
    const url = await listening(child)
    upstream.answer(vendorOf(scenarios.text, 'chat-completions'))
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello.' }] }),
    })
    return { status: answer.status, vendor: answer.headers.get('headgate-vendor'), body: await answer.json() }
  }

  function opened(context: TestContext): Registry {
    return registry ?? context.skip(reason)
  }

  it('come after those that they depend on', (context) => {
    opened(context)
    const order = [...published.matchAll(/Published package ((?:@[\w-]+\/)?[\w-]+)@/g)].map(([, name = '']) => name)
    const manifests = globSync(['{apps,packages}/*/package.json', 'packages/{providers,search,sinks}/*/package.json'], {
      cwd: ROOT,
    })
    const packages: Manifest[] = manifests.map((path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')))
    expect([...order].sort()).toEqual(packages.map(({ name }) => name).sort())
    const early = packages.flatMap(({ name, dependencies, peerDependencies }) => {
      const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((one) => order.includes(one))
      return needed.filter((one) => order.indexOf(one) > order.indexOf(name)).map((one) => `${name} before ${one}`)
    })
    expect(early).toEqual([])
  })

  it('give a project headgate and groq, which it serves, and no other', async (context) => {
    const registry = opened(context)
    const project = join(registry.folder, 'project')
    mkdirSync(project)
    await timed('npm i headgate @headgate/provider-groq', async () => {
      await registry.run(project, 'npm', ['init', '-y'])
      await registry.run(project, 'npm', ['install', 'headgate', '@headgate/provider-groq'])
    })
    const variables = { GROQ_API_KEY: 'a-key', GROQ_BASE_URL: `${upstream.origin}/v1`, XAI_API_KEY: 'a-key' }
    const list = await registry.run(project, 'npx', ['--no-install', 'headgate', 'adapters'], variables)
    expect(namesOf(list, 'enabled')).toEqual(['groq'])
    // What the program itself brings, and groq: nothing that other packages depend on.
    expect(namesOf(list).sort()).toEqual(['anthropic', 'demo', 'google', 'groq', 'openai', 'openai-compatible'])
    expect(await serves(registry, project, 'groq/a-model', variables)).toMatchObject({ status: 200, vendor: 'groq' })
  })

  it('give a project that depends on @headgate/all every adapter', async (context) => {
    const registry = opened(context)
    const project = join(registry.folder, 'whole')
    mkdirSync(project)
    await registry.run(project, 'npm', ['init', '-y'])
    await timed('npm i headgate @headgate/all', () =>
      registry.run(project, 'npm', ['install', 'headgate', '@headgate/all']),
    )
    const { headgate } = JSON.parse(readFileSync(join(ROOT, 'packages/all/package.json'), 'utf8'))
    const list = await registry.run(project, 'npx', ['--no-install', 'headgate', 'adapters'], { XAI_API_KEY: 'a-key' })
    expect(list.trim().split('\n')).toHaveLength(headgate.adapters.length + 1)
    expect(namesOf(list, 'enabled')).toEqual(['xai'])
  })

  it('let a stranger make an adapter, test it, pack it and have it serve', async (context) => {
    const registry = opened(context)
    const home = join(registry.folder, 'stranger')
    mkdirSync(home)
    const adapter = join(home, 'headgate-provider-orbit')
    await timed('npm create headgate-adapter', () =>
      registry.run(home, 'npm', [
        'create',
        'headgate-adapter',
        'orbit',
        '--',
        '--base-url',
        'https://api.orbit.example/v1',
      ]),
    )
    for (const path of ['src/index.ts', 'test/orbit.test.ts']) edit(join(adapter, path), '/v1', '/v2')
    await timed('npm install in it', () => registry.run(adapter, 'npm', ['install']))
    await registry.run(adapter, 'npm', ['run', 'types'])
    const tests = await timed('npm test', () => registry.run(adapter, 'npm', ['test']))
    expect(tests).toMatch(/Tests .*passed/)
    await timed('npm pack', () => registry.run(adapter, 'npm', ['pack', '--pack-destination', home]))

    const project = join(home, 'project')
    mkdirSync(project)
    await registry.run(project, 'npm', ['init', '-y'])
    await timed('npm i headgate and it', () =>
      registry.run(project, 'npm', ['install', 'headgate', '../headgate-provider-orbit-0.1.0.tgz']),
    )
    const variables = { ORBIT_API_KEY: 'a-key', ORBIT_BASE_URL: `${upstream.origin}/v2` }
    const served = await timed('start and one request', () => serves(registry, project, 'orbit/a-model', variables))
    expect(served).toMatchObject({ status: 200, vendor: 'orbit', body: { object: 'chat.completion' } })
    expect(upstream.received.findLast(({ method }) => method === 'POST')?.path).toBe('/v2/chat/completions')
  })

  it('let a stranger begin by any template: each passes its types and its test, and is built', async (context) => {
    const registry = opened(context)
    // Within one that is installed, so that nothing is installed again.
    const home = join(registry.folder, 'stranger/headgate-provider-orbit')
    for (const template of ['codec', 'signed', 'search', 'sink']) {
      const folder = join('others', template)
      const args = [
        `acme-${template}`,
        '--',
        '--base-url',
        'https://api.acme.example/v1',
        `--${template}`,
        '--folder',
        folder,
      ]
      await registry.run(home, 'npm', ['create', 'headgate-adapter', ...args])
      await registry.run(home, 'npx', ['--no-install', 'tsc', '-p', folder])
      await registry.run(home, 'npx', ['--no-install', 'tsc', '-p', join(folder, 'tsconfig.build.json')])
      expect(readFileSync(join(home, folder, 'dist/index.js'), 'utf8')).not.toMatch(/from '\.\/[\w-]+\.ts'/)
    }
    expect(await registry.run(home, 'npx', ['--no-install', 'vitest', 'run', '--testTimeout=60000', 'others'])).toMatch(
      /Test Files .*4 passed/,
    )
  })
})

/** Names of `headgate adapters`, of providers: those of a state. */
function namesOf(list: string, state?: string): string[] {
  const rows = list.split('\n').map((line) => line.trim().split(/ {2,}/))
  return rows.flatMap(([kind, name = '', , , is]) =>
    kind === 'provider' && (state === undefined || is === state) ? [name] : [],
  )
}

function edit(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to))
}

async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await run()
  took.push(`${what} ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return result
}

/** Where a program that has been started listens. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (text: string) => {
      said += text
      const address = /listening +(\S+)/.exec(said)?.[1]
      if (address !== undefined) resolve(address)
    }
    child.stdout?.setEncoding('utf8').on('data', listen)
    child.stderr?.setEncoding('utf8').on('data', listen)
    child.once('exit', () => reject(new Error(`The program did not start: ${said}`)))
  })
}

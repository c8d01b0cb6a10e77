import { describe, expect, it } from 'vitest'
import { createInstallation, type Installation } from './installation.ts'
import { run, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

/** A package that someone publishes: an adapter of this id, in full. */
function adapter(name: string, id: string, dependencies: object = {}): Record<string, unknown> {
  return {
    [`${name}/package.json`]: {
      name,
      version: '1.0.0',
      type: 'module',
      headgate: { adapter: 'provider' },
      exports: './index.js',
      files: ['index.js'],
      peerDependencies: { '@headgate/gateway': '>=0.1.0 <1' },
      dependencies,
    },
    [`${name}/index.js`]: `
      import { openAICompatible } from '@headgate/core/openai-compatible'
      export const adapter = openAICompatible({ id: '${id}', title: '${name}', baseUrl: 'https://api.orbit.example/v1' })
    `,
  }
}

const PACKAGES = {
  ...adapter('headgate-provider-orbit', 'orbit', { 'orbit-helper': '1.0.0' }),
  ...adapter('orbit-helper', 'orbit'),
}

/** The program in a project of its own, with the provider of the other package beside it. */
async function installed(folder: string, dependencies: readonly string[]): Promise<Installation> {
  const installation = await createInstallation(folder)
  await installation.install(['headgate-provider-orbit', 'orbit-helper'], dependencies)
  return installation
}

describe('A provider that someone else has packed', { tags: ['full'] }, () => {
  it('serves requests once it is installed beside the program and its key is set', async () => {
    const folder = temporaryFolder(PACKAGES)
    const { program } = await installed(folder, ['headgate-provider-orbit'])
    const { baseUrl } = await startUpstream()
    const environment = { HEADGATE_API_KEYS: 'sk-local', ORBIT_API_KEY: 'k', ORBIT_BASE_URL: baseUrl }
    const gateway = await start({ folder, program, environment })
    expect(gateway.output()).toMatch(/providers +orbit \(ORBIT_API_KEY and ORBIT_BASE_URL set\)\n/)
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-local', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'orbit/model-1', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect([answer.status, answer.headers.get('headgate-vendor')]).toEqual([200, 'orbit'])
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
  })

  it('is loaded only where the project itself depends on it: what it depends on is not', async () => {
    const folder = temporaryFolder(PACKAGES)
    const { program } = await installed(folder, ['headgate-provider-orbit'])
    const { code, stdout } = await run(['adapters'], { folder, program })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^provider +orbit +orbit +1\.0\.0 +off +ORBIT_API_KEY is not set +\S+headgate-provider-orbit$/m,
    )
    expect(stdout).not.toContain('orbit-helper')
  })

  it('stops the start when the project depends on another one of the same id', async () => {
    const folder = temporaryFolder(PACKAGES)
    const { program } = await installed(folder, ['headgate-provider-orbit', 'orbit-helper'])
    const { code, stderr } = await run(['--port', '0'], { folder, program })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /Two adapters have the id "orbit": headgate-provider-orbit@1\.0\.0 \(\S+\) and orbit-helper@1\.0\.0 \(\S+\)\. Remove one\./,
    )
  })
})

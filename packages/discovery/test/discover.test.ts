import { createGateway } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { discoverAdapters, enabledEntries, installCommand } from '../src/index.ts'
import { adapterPackage } from './support/adapter-package.ts'
import { temporaryFolder } from './support/temporary.ts'

const KEYED = { env: { apiKey: ['KEYED_API_KEY'] }, config: 'apiKey: z.string()' }

describe('discoverAdapters', () => {
  it('gives a gateway the adapters that a project has installed and the environment configures', async () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { keyed: '1', other: '1' } },
      ...adapterPackage('node_modules/keyed', KEYED),
      ...adapterPackage('node_modules/other', { ...KEYED, env: { apiKey: ['OTHER_API_KEY'] } }),
    })
    const { providers, search } = await discoverAdapters({ folder, environment: { KEYED_API_KEY: 'k' } })
    expect(providers.map(({ name, why }) => `${name}: ${why}`)).toEqual([
      'keyed: KEYED_API_KEY set',
      'other: OTHER_API_KEY is not set',
    ])
    const gateway = createGateway({ providers: enabledEntries(providers), ...(search && { search }) })
    expect(gateway.health()).toEqual([])
    await gateway.close()
  })

  it('names the packages for whose keys the environment has a value, unless their adapters are installed', async () => {
    const folder = temporaryFolder({
      'package.json': { dependencies: { groq: '1' } },
      ...adapterPackage('node_modules/groq', KEYED),
    })
    const environment = { GROQ_API_KEY: 'k', FAL_KEY: 'k', BRAVE_API_KEY: 'k', STRANGER_API_KEY: 'k' }
    const { missing } = await discoverAdapters({ folder, environment })
    expect(missing.map(({ name, variable }) => `${name} ${variable}`)).toEqual([
      '@headgate/provider-fal FAL_KEY',
      '@headgate/search-brave BRAVE_API_KEY',
    ])
    expect(installCommand(missing, folder)).toBe(
      'fal (FAL_KEY set), brave search (BRAVE_API_KEY set): npm install headgate @headgate/provider-fal @headgate/search-brave && npx --no-install headgate',
    )
    expect((await discoverAdapters({ folder, environment, adapters: ['groq'] })).missing).toEqual([])
  })
})

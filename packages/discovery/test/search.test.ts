import { families } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { isBackend } from '../src/adapter.ts'
import { chooseAdapters } from '../src/choice.ts'
import { BACKENDS, type SearchConfig } from '../src/kinds.ts'
import { findAdapterPackages } from '../src/packages.ts'
import { findAdapters } from '../src/registry.ts'
import { searchOptions } from '../src/search.ts'
import { type AdapterOptions, adapterPackage } from './support/adapter-package.ts'
import { temporaryFolder } from './support/temporary.ts'

interface Situation {
  readonly search?: SearchConfig
  readonly environment?: Readonly<Record<string, string>>
}

/** A backend that needs a key, one that works without, and one of last resort, which searches a folder. */
const ADAPTERS: Readonly<Record<string, AdapterOptions>> = {
  keyed: { config: 'apiKey: z.string(), country: z.string().optional()', env: { apiKey: ['KEYED_API_KEY'] } },
  open: { config: 'apiKey: z.string().optional()', env: { apiKey: ['OPEN_API_KEY'] }, enable: 'asked' },
  files: { config: 'path: z.string().optional()', env: {}, enable: 'last-resort' },
}

/**
 * What a start makes of a configuration of search: why each backend is used or not (`-`), and what the gateway gets.
 */
async function prepare({ search = {}, environment = {} }: Situation) {
  const packages = Object.entries(ADAPTERS).map(([id, options]) =>
    adapterPackage(`all/${id}`, { ...options, kind: 'search' }),
  )
  const folder = temporaryFolder(Object.assign({ 'package.json': { headgate: { adapters: ['all/*'] } } }, ...packages))
  const loaded = await findAdapters(
    findAdapterPackages({ folder, program: temporaryFolder({ 'package.json': {} }), environment: {} }),
    {
      fromSource: false,
    },
  )
  const choice = {
    adapters: loaded.filter(isBackend),
    configured: search.backends ?? {},
    environment,
    probe: async () => false,
  }
  const states = await chooseAdapters(BACKENDS, { ...choice, families })
  const options = await searchOptions(search, states, choice)
  return { lines: states.map(({ name, entry, why }) => `${entry ? '' : '-'}${name}: ${why}`), options }
}

/** What an adapter was given. */
const given = (backend: unknown): unknown => Reflect.get(Object(Reflect.get(Object(backend), 'backend')), 'given')

describe('a search backend', () => {
  it('is remote only where somebody asks for it: a start without configuration has the one of last resort', async () => {
    const { lines, options } = await prepare({})
    const asked =
      'works without a key, enabled only if the configuration names it (`search.backends.open: {}`), or with OPEN_API_KEY'
    expect(lines).toEqual(['-keyed: KEYED_API_KEY is not set', `-open: ${asked}`, 'files: nothing else is enabled'])
    expect(options?.backends).toMatchObject([{ name: 'files' }])
  })

  it.each([
    [{ KEYED_API_KEY: 'k' }, 'keyed: KEYED_API_KEY set', 'keyed'],
    [{ OPEN_API_KEY: 'k' }, 'open: OPEN_API_KEY set', 'open'],
  ])(
    'is used when the environment has its key, and the one of last resort is not: %o',
    async (environment, line, name) => {
      const { lines, options } = await prepare({ environment })
      expect(lines).toContain(line)
      expect(lines).toContain(`-files: enabled only as a last resort; ${name} is enabled`)
      expect(options?.backends).toMatchObject([{ name }])
    },
  )

  it('is used when the configuration names it, in the order of the configuration, with its price', async () => {
    const backends = { files: {}, 'keyed-eu': { adapter: 'keyed', apiKey: 'eu', price: 3.5 }, open: {} }
    const { lines, options } = await prepare({ search: { backends } })
    expect(lines.filter((line) => !line.startsWith('-')).map((line) => line.split(':')[0])).toEqual([
      'files',
      'keyed-eu',
      'open',
    ])
    expect(options?.backends).toMatchObject([
      { name: 'files' },
      { name: 'keyed-eu', price: 3_500_000_000_000 },
      { name: 'open' },
    ])
    expect(options?.backends.map(given)).toEqual([{}, { apiKey: 'eu' }, {}])
  })

  it('stays off when the configuration says so; without any there is nothing to search', async () => {
    const off = { enabled: false }
    const { lines, options } = await prepare({
      search: { backends: { files: off, open: off } },
      environment: { OPEN_API_KEY: 'k' },
    })
    expect(lines).toContain('-open: disabled by the configuration')
    expect(options).toBeUndefined()
  })

  it.each([
    [
      { keyed: { apiKey: 'k', contry: 'de' } },
      'search.backends.keyed.contry: unknown field; allowed: adapter, enabled, price, apiKey, country',
    ],
    [{ keyed: {} }, 'search.backends.keyed.apiKey: is missing; allowed: a string; set KEYED_API_KEY, or write it here'],
    [
      { absent: {} },
      'search.backends.absent: the adapter "absent" is not installed. Install it with `npm install @headgate/search-absent`, or use an installed one: files, keyed, open.',
    ],
  ])('is refused where its configuration is wrong: %o', async (backends, message) => {
    await expect(prepare({ search: { backends } })).rejects.toThrow(message)
  })
})

describe('an engine', () => {
  const environment = { KEYED_API_KEY: 'k' }

  it('refers to a backend that is used, by name', async () => {
    const engines = {
      '017576662512468239146:omuauf_lfve': { backend: 'keyed', title: 'Docs', sites: ['example.com/docs'] },
    }
    const { options } = await prepare({ search: { engines }, environment })
    expect(options?.engines).toEqual({
      '017576662512468239146:omuauf_lfve': { backend: 'keyed', title: 'Docs', sites: ['example.com/docs'] },
    })
  })

  it('has an instance to itself where it has settings, over those of the backend and of the environment', async () => {
    const backends = { keyed: { country: 'de', price: 5 } }
    const { options } = await prepare({
      search: { backends, engines: { us: { backend: 'keyed', country: 'us' } } },
      environment,
    })
    expect(options?.backends.map(given)).toEqual([{ apiKey: 'k', country: 'de' }])
    expect(options?.engines?.['us']?.backend).toMatchObject({ name: 'keyed', price: 5_000_000_000_000 })
    expect(given(options?.engines?.['us']?.backend)).toEqual({ apiKey: 'k', country: 'us' })
  })

  it('may have one of a backend that nothing else uses', async () => {
    const engines = { docs: { backend: 'files', path: './docs' }, web: { backend: 'open' } }
    const { lines, options } = await prepare({ search: { engines }, environment })
    expect(lines).toContain('-files: enabled only as a last resort; keyed is enabled')
    expect(options?.backends).toMatchObject([{ name: 'keyed' }])
    expect(given(options?.engines?.['docs']?.backend)).toEqual({ path: './docs' })
    expect(given(options?.engines?.['web']?.backend)).toEqual({})
  })

  it.each([
    [
      'a backend that is not known',
      { docs: { backend: 'brvae' } },
      'search.engines.docs.backend: the backend "brvae" is unknown; allowed: files, keyed. Install it with `npm install @headgate/search-brvae`',
    ],
    [
      'a backend that is switched off',
      { 'a:b/c': { backend: 'open' } },
      'search.engines["a:b/c"].backend: the backend "open" is disabled by the configuration; allowed: files, keyed.',
    ],
    [
      'a setting that its backend has not',
      { docs: { backend: 'files', pth: '.' } },
      'search.engines.docs.pth: unknown field; allowed: backend, title, sites, path',
    ],
    [
      'a setting of another type, which is not shown',
      { docs: { backend: 'keyed', country: 49 } },
      'search.engines.docs.country: found a number; allowed: a string',
    ],
    [
      'a backend whose key nobody gives',
      { docs: { backend: 'keyed' } },
      'search.engines.docs.apiKey: is missing; allowed: a string; set KEYED_API_KEY, or write it here',
    ],
  ])('with %s is refused', async (_, engines, message) => {
    await expect(prepare({ search: { backends: { open: { enabled: false } }, engines } })).rejects.toThrow(message)
  })
})

describe('the default of search', () => {
  it('names an engine or a backend that is used', async () => {
    const engines = { docs: { backend: 'files' } }
    const search = { engines, cache: { seconds: 1.5 } }
    expect((await prepare({ search: { ...search, default: 'docs' } })).options).toMatchObject({
      default: 'docs',
      cacheMs: 1_500,
    })
    expect((await prepare({ search: { ...search, default: 'files' } })).options).toMatchObject({ default: 'files' })
  })

  it.each(['keyed', 'nothing', 'constructor'])('is refused where there is none of its name: %s', async (name) => {
    const preparing = prepare({ search: { default: name, engines: { 'my docs': { backend: 'files' } } } })
    await expect(preparing).rejects.toThrow(
      `search.default: found "${name}", which is neither an engine nor an enabled backend; allowed: "my docs", "files"`,
    )
  })
})

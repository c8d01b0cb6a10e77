import { families } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { startInProcess } from '../../../apps/server/test/in-process.ts'
import { isProvider } from '../src/adapter.ts'
import { chooseAdapters } from '../src/choice.ts'
import type { ProviderConfig } from '../src/kinds.ts'
import { PROVIDERS } from '../src/kinds.ts'
import { findAdapterPackages } from '../src/packages.ts'
import { findAdapters } from '../src/registry.ts'
import { adapterPackage } from './support/adapter-package.ts'
import { temporaryFolder } from './support/temporary.ts'

/** A package that says in its package.json what decides whether it is used, and whose code must not run. */
function described(name: string, headgate: object): Record<string, unknown> {
  return {
    [`${name}/package.json`]: {
      name,
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      headgate: { adapter: 'provider', id: name, title: name, ...headgate },
    },
    [`${name}/index.js`]: `throw new Error('${name} is loaded')`,
  }
}

function moved(files: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`all/${path}`, content]))
}

interface Situation {
  readonly environment?: Readonly<Record<string, string>>
  readonly configured?: Readonly<Record<string, ProviderConfig>>
  readonly answers?: boolean
}

/** What is chosen of packages, as `name: why`, with `-` before what is off; and where it was probed. */
async function choose(
  packages: Readonly<Record<string, unknown>>,
  { environment = {}, configured = {}, answers = false }: Situation = {},
) {
  const folder = temporaryFolder({ 'package.json': { headgate: { adapters: ['all/*'] } }, ...moved(packages) })
  const found = await findAdapters(
    findAdapterPackages({ folder, program: temporaryFolder({ 'package.json': {} }), environment: {} }),
    {
      fromSource: false,
    },
  )
  const probed: string[] = []
  const probe = async ({ url }: { url: string }, baseUrl = '') => {
    probed.push(`${baseUrl}${url}`)
    return answers
  }
  const states = await chooseAdapters(PROVIDERS, {
    adapters: found.filter(isProvider),
    configured,
    environment,
    probe,
    families,
  })
  return { lines: states.map(({ name, entry, why }) => `${entry ? '' : '-'}${name}: ${why}`), probed }
}

const KEYED = { env: { apiKey: ['KEYED_API_KEY', 'OTHER_KEY'], baseUrl: ['KEYED_BASE_URL'] }, requires: ['apiKey'] }
const PROBED = {
  env: { baseUrl: ['PROBED_BASE_URL'] },
  probe: { method: 'GET', baseUrl: 'http://127.0.0.1:7', url: '/tags' },
}

describe('An adapter that is not used is not loaded, as its package.json says', () => {
  it.each<[string, object, string]>([
    ['which variable it needs', KEYED, 'KEYED_API_KEY or OTHER_KEY is not set'],
    [
      'what it needs, in words',
      { env: { a: ['A_KEY'], b: ['B_KEY'] }, needs: 'needs A_KEY, or B_KEY' },
      'needs A_KEY, or B_KEY',
    ],
    [
      'that it is to be asked for',
      { enable: 'asked' },
      'works without a key, enabled only if the configuration names it (`providers.acme: {}`)',
    ],
    ['which address must answer', PROBED, 'nothing responds at http://127.0.0.1:7'],
    [
      'which files it needs',
      { env: { key: [{ file: 'ACME_FILE', default: '/nowhere/acme.json' }] }, requires: ['key'] },
      'ACME_FILE (names a file; else /nowhere/acme.json) is not set',
    ],
  ])('%s', async (_, headgate, why) => {
    expect((await choose(described('acme', headgate))).lines).toEqual([`-acme: ${why}`])
  })

  it('that it is the last resort for what another one serves', async () => {
    const packages = {
      ...described('last', { enable: 'last-resort', families: ['chat'] }),
      ...adapterPackage('first', { env: {}, config: '' }),
    }
    expect((await choose(packages)).lines).toEqual([
      'first: needs no configuration',
      '-last: enabled only as a last resort; first is enabled',
    ])
  })

  it('and that it is switched off', async () => {
    const { lines } = await choose(described('acme', KEYED), { configured: { acme: { enabled: false } } })
    expect(lines).toEqual(['-acme: disabled by the configuration'])
  })
})

describe('An adapter is loaded', () => {
  it.each<[string, object, Situation]>([
    ['when a variable of it is set, which may be wrong', KEYED, { environment: { KEYED_BASE_URL: 'x' } }],
    ['when the configuration names it', KEYED, { configured: { acme: {} } }],
    ['when its address answers', PROBED, { answers: true }],
  ])('%s', async (_, headgate, situation) => {
    await expect(choose(described('acme', headgate), situation)).rejects.toThrow('acme is loaded')
  })

  it('and must be what its package.json says', async () => {
    const packages = adapterPackage('acme', {
      id: 'other',
      manifest: { headgate: { adapter: 'provider', id: 'acme' } },
    })
    await expect(choose(packages)).rejects.toThrow(
      'has "headgate": { "id": "acme" } in its package.json, but exports "other"',
    )
  })

  it('for an answer of its own where its package.json says less: others are as good as before', async () => {
    const { lines } = await choose(
      adapterPackage('acme', { env: { apiKey: ['ACME_API_KEY'] }, config: 'apiKey: z.string()' }),
    )
    expect(lines).toEqual(['-acme: ACME_API_KEY is not set'])
  })

  it('a package.json that says it wrongly stops the start', async () => {
    await expect(choose(described('acme', { requires: 'apiKey' }))).rejects.toThrow(
      /acme\/package\.json: headgate\.requires: /,
    )
  })
})

describe('A start with 75 adapters of which none is configured', () => {
  it('loads none of them', async () => {
    const names = Array.from({ length: 75 }, (_, index) => `acme-${index}`)
    const folder = temporaryFolder({
      'package.json': { headgate: { adapters: ['all/*'] } },
      ...moved(
        Object.assign(
          {},
          ...names.map((name, index) =>
            described(name, { env: { apiKey: [`ACME_${index}_API_KEY`] }, requires: ['apiKey'] }),
          ),
        ),
      ),
    })
    const gateway = await startInProcess({ folder, environment: { HEADGATE_API_KEYS: 'sk-local' } })
    expect(gateway.output()).toContain('demo')
  })
})

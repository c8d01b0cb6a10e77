import type { HttpRequest } from '@headgate/core/provider'
import { families } from '@headgate/gateway'
import { isProvider } from '../../src/adapter.ts'
import { chooseAdapters } from '../../src/choice.ts'
import type { ProviderConfig } from '../../src/kinds.ts'
import { PROVIDERS } from '../../src/kinds.ts'
import { findAdapterPackages } from '../../src/packages.ts'
import { findAdapters } from '../../src/registry.ts'
import { type AdapterOptions, adapterPackage } from './adapter-package.ts'
import { temporaryFolder } from './temporary.ts'

export interface Situation {
  readonly adapters: Readonly<Record<string, AdapterOptions>>
  readonly configured?: Readonly<Record<string, ProviderConfig>>
  readonly environment?: Readonly<Record<string, string>>
  readonly answers?: boolean
}

/** An adapter that needs a key. */
export const WITH_KEY: AdapterOptions = {
  config: 'apiKey: z.string(), baseUrl: z.url().optional()',
  env: { apiKey: ['KEYED_API_KEY', 'OTHER_KEY'], baseUrl: ['KEYED_BASE_URL'] },
}

/** What is chosen, as `name: why`, with `-` before what is off. */
export async function choose(situation: Situation) {
  const { adapters, configured = {}, environment = {}, answers = false } = situation
  const folder = temporaryFolder(
    Object.assign(
      { 'package.json': { headgate: { adapters: ['all/*'] } } },
      ...Object.entries(adapters).map(([id, options]) => adapterPackage(`all/${id}`, options)),
    ),
  )
  const loaded = await findAdapters(
    findAdapterPackages({ folder, program: temporaryFolder({ 'package.json': {} }), environment: {} }),
    {
      fromSource: false,
    },
  )
  const probed: [HttpRequest, string | undefined][] = []
  const probe = async (request: HttpRequest, baseUrl: string | undefined) => {
    probed.push([request, baseUrl])
    return answers
  }
  const states = await chooseAdapters(PROVIDERS, {
    adapters: loaded.filter(isProvider),
    configured,
    environment,
    probe,
    families,
  })
  const given = Object.fromEntries(
    states.flatMap(({ name, entry }) => (entry ? [[name, Reflect.get(entry.provider, 'given')]] : [])),
  )
  return { lines: states.map(({ name, entry, why }) => `${entry ? '' : '-'}${name}: ${why}`), given, states, probed }
}

import { resolve } from 'node:path'
import { type BackendInstance, HeadgateError } from '@headgate/gateway'
import { isBackend } from './adapter.ts'
import { givenConfig } from './choice.ts'
import { configure } from './configure.ts'
import { type DiscoveryOptions, installed } from './discover.ts'
import { BACKENDS } from './kinds.ts'
import type { OnSkipped } from './packages.ts'

/** Search backend with an index of a path, and the configured engine that uses it. */
export interface DocumentIndex {
  readonly backend: BackendInstance
  readonly name: string
  readonly cx?: string | undefined
}

/**
 * Configures the first backend that can index a path.
 * @param path absolute path
 * @throws HeadgateError if no installed backend supports an index.
 */
export async function findDocumentIndex(
  path: string,
  options: Omit<DiscoveryOptions, 'providers' | 'families'>,
  onSkipped?: OnSkipped,
): Promise<DocumentIndex> {
  const { folder = process.cwd(), environment = process.env, search = {} } = options
  const found = await installed(options, onSkipped, 'search')
  const { backends: configured = {}, engines = {} } = search
  const adapters = await Promise.all(found.adapters.filter(isBackend).map((one) => one.load()))
  const choice = { adapters, configured, environment }
  const names = [
    ...Object.entries(configured).map(([name, { adapter = name }]) => [name, adapter] as const),
    ...adapters.map(({ id }) => [id, id] as const),
  ]

  for (const [name, id] of names) {
    const adapter = adapters.find((one) => one.id === id)
    if (!adapter) continue
    const engine = Object.entries(engines).find(
      ([, { backend, path: of }]) => backend === name && typeof of === 'string' && resolve(folder, of) === path,
    )
    const { backend: _, title: __, sites: ___, ...own } = engine?.[1] ?? { backend: name }
    const value = { ...givenConfig(BACKENDS.own, adapter, name, choice), ...own, path }
    if (!adapter.factory.config.safeParse(value).success) continue
    const place = { path: ['search', 'backends', name], also: BACKENDS.own, takesEnvironment: name === id }
    const backend = configure(adapter, value, place)
    if (backend.index) return { backend, name, cx: engine?.[0] }
  }
  throw new HeadgateError(
    'invalid-request',
    'No installed adapter supports an index of documents. List the adapters with `headgate adapters`.',
  )
}

import { resolve } from 'node:path'
import { type BackendInstance, HeadgateError } from '@headgate/gateway'
import type { CommandContext } from '../commands/command.ts'
import type { Settings } from '../config/settings.ts'
import { programFolder } from '../program.ts'
import { isBackend } from './adapter.ts'
import { BACKENDS } from './backends.ts'
import { configure, givenConfig } from './choice.ts'
import { findAdapterPackages } from './discovery.ts'
import { runsFromSource } from './entry.ts'
import { findAdapters } from './registry.ts'

/** The index of a path, and the engine of the configuration that searches in it. */
export interface OwnIndex {
  readonly backend: BackendInstance
  readonly name: string
  readonly cx?: string
}

export async function ownIndex(
  path: string,
  { config }: Settings,
  { folder, environment, note }: CommandContext,
): Promise<OwnIndex> {
  const places = { folder, environment, program: programFolder }
  const packages = findAdapterPackages(places, (sentence) => note(`${sentence}\n`)).filter(
    ({ kind }) => kind === 'search',
  )
  const found = await findAdapters(packages, { only: config.adapters, fromSource: runsFromSource() })
  const { backends: configured = {}, engines = {} } = config.search ?? {}
  const adapters = await Promise.all(found.filter(isBackend).map((one) => one.load()))
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
    if (backend.index) return { backend, name, ...(engine && { cx: engine[0] }) }
  }
  throw new HeadgateError(
    'invalid-request',
    'No adapter that is installed keeps an index of documents: `headgate adapters` lists those that are.',
  )
}

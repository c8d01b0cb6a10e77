import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { EnvironmentSource, ProviderAdapter } from '../../packages/core/src/contract/provider.ts'
import type { BackendAdapter } from '../../packages/core/src/contract/search.ts'
import type { JsonSchema } from './config-keys.ts'
import { code } from './markdown.ts'

export const ROOT = resolve(import.meta.dirname, '../..')

type Adapter = ProviderAdapter | BackendAdapter

/** Condition that enables an adapter without a configuration entry. */
export const WHEN = {
  configured: 'all required fields are set',
  asked: 'the configuration names it, or its key is set',
  'last-resort': 'no other is enabled',
} as const

/** Adapter that a folder of this repository exports. */
export async function loadAdapter<A extends Adapter>(
  folder: string,
  isAdapter: (value: unknown) => value is A,
): Promise<A> {
  const module: Record<string, unknown> = await import(pathToFileURL(resolve(ROOT, folder, 'src/index.ts')).href)
  const adapter = Object.values(module).find(isAdapter)
  if (!adapter) throw new Error(`${folder} exports no adapter.`)
  return adapter
}

export function isProvider(value: unknown): value is ProviderAdapter {
  return typeof value === 'function' && 'kind' in value && value.kind === 'provider'
}

export function isBackend(value: unknown): value is BackendAdapter {
  return typeof value === 'function' && 'kind' in value && value.kind === 'search'
}

/** Fields of an adapter's configuration, and the required ones. */
export function fieldsOf({ config }: Pick<Adapter, 'config'>): Required<Pick<JsonSchema, 'properties' | 'required'>> {
  const { properties = {}, required = [] } = z.toJSONSchema(config, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema
  return { properties, required }
}

/** Fields that the environment can set, with their variables and defaults. */
export function variablesOf(adapter: Adapter): string[][] {
  const { properties, required } = fieldsOf(adapter)
  return Object.entries<readonly EnvironmentSource[] | undefined>(adapter.env).map(([field, sources = []]) => {
    const fallback = properties[field]?.default
    const standard = fallback === undefined ? (required.includes(field) ? 'required' : '') : code(String(fallback))
    return [code(field), sources.map(sourceText).join(', '), standard]
  })
}

function sourceText(source: EnvironmentSource): string {
  if (typeof source === 'string') return code(source)
  return `the file that ${code(source.file)} names${source.default === undefined ? '' : `, else ${code(source.default)}`}`
}

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { ProviderAdapter } from '../../packages/core/src/provider.ts'
import type { JsonSchema } from './config-keys.ts'
import { code, table } from './markdown.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PREFIX = '@headgate/provider-'

const WHEN = {
  configured: 'as soon as what it requires is there',
  asked: 'when the configuration names it',
  'last-resort': 'while no other provider is',
} as const

/** The providers that the program brings, with the variables of each. Others are not listed: adding one must not touch a page. */
export async function providersTable(): Promise<string> {
  const adapters = await Promise.all(bundledIds().map(loadAdapter))
  const rows = adapters.flatMap((adapter) => {
    const fields = variablesOf(adapter)
    const first = [code(adapter.id), WHEN[adapter.enable ?? 'configured']]
    if (fields.length === 0) return [[...first, 'none', '', '']]
    return fields.map((field, index) => [...(index === 0 ? first : ['', '']), ...field])
  })
  return table(['provider', 'used', 'field', 'environment', 'default'], rows)
}

function bundledIds(): string[] {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(resolve(ROOT, 'apps/server/package.json'), 'utf8'),
  )
  return Object.keys(dependencies)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
}

async function loadAdapter(id: string): Promise<ProviderAdapter> {
  const module: Record<string, unknown> = await import(pathToFileURL(resolve(ROOT, `packages/providers/${id}/src/index.ts`)).href)
  const adapter = Object.values(module).find(isAdapter)
  if (!adapter) throw new Error(`packages/providers/${id} exports no adapter.`)
  return adapter
}

function isAdapter(value: unknown): value is ProviderAdapter {
  return typeof value === 'function' && 'kind' in value && value.kind === 'provider'
}

/** Field, variables and default of what the environment can give. */
function variablesOf({ config, env }: ProviderAdapter): string[][] {
  const { properties = {}, required = [] } = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return Object.entries<readonly string[] | undefined>(env).map(([field, names = []]) => {
    const fallback = properties[field]?.default
    const standard = fallback === undefined ? (required.includes(field) ? 'required' : '') : code(String(fallback))
    return [code(field), names.map(code).join(', '), standard]
  })
}

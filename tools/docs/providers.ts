import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isProvider, loadAdapter, ROOT, variablesOf, WHEN } from './adapters.ts'
import { code, table } from './markdown.ts'

const PREFIX = '@headgate/provider-'

/** Providers that the program depends on, with the variables of each. */
export async function providersTable(): Promise<string> {
  const adapters = await Promise.all(bundledIds().map((id) => loadAdapter(`packages/providers/${id}`, isProvider)))
  const rows = adapters.flatMap((adapter) => {
    const fields = variablesOf(adapter)
    const first = [code(adapter.id), WHEN[adapter.enable ?? 'configured']]
    if (fields.length === 0) return [[...first, 'none', '', '']]
    return fields.map((field, index) => [...(index === 0 ? first : ['', '']), ...field])
  })
  return table(['provider', 'enabled if', 'field', 'environment', 'default'], rows)
}

function bundledIds(): string[] {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(resolve(ROOT, 'apps/server/package.json'), 'utf8'),
  )
  return Object.keys(dependencies)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
}

import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Backend, BackendAdapter, Paging } from '../../packages/core/src/contract/search.ts'
import { OPERATORS, PARAMETERS, type Parameter } from '../../packages/core/src/contract/search.ts'
import { fieldsOf, isBackend, loadAdapter, ROOT, variablesOf, WHEN } from './adapters.ts'
import { keysTable } from './config-keys.ts'
import { code, table } from './markdown.ts'

interface Described {
  readonly adapter: BackendAdapter
  readonly backend: Backend
}

/** Search backends of this repository, with variables, limits and prices. */
export async function backendsTable(): Promise<string> {
  const rows = (await backends()).map(({ adapter, backend }) => [
    code(adapter.id),
    environmentText(adapter),
    WHEN[adapter.enable ?? 'configured'],
    `${reachOf(backend.paging)}`,
    carries(backend, 'searchType') ? 'yes' : '',
    priceText(backend),
  ])
  return table(['backend', 'environment', 'enabled if', 'results', 'images', 'US dollars per 1,000 calls'], rows)
}

/**
 * Support of each parameter: a field of the backend's request, the query string, or none. Parameters that only
 * backends with `supports: 'all'` support share one row.
 */
export async function searchParametersTable(): Promise<string> {
  const described = await backends()
  const choosy = described.filter(({ backend }) => backend.supports !== 'all')
  const isRare = (parameter: Parameter): boolean => choosy.every(({ backend }) => placeOf(backend, parameter) === '')
  const rowOf = (label: string, parameter: Parameter) => [
    label,
    ...described.map(({ backend }) => placeOf(backend, parameter)),
  ]

  const rare = PARAMETERS.filter(isRare)
  const rows = PARAMETERS.filter((parameter) => !isRare(parameter)).map((parameter) =>
    rowOf(code(parameter), parameter),
  )
  const rest = rare[0] ? [rowOf(rare.map(code).join(', '), rare[0])] : []
  return table(['', ...described.map(({ adapter }) => code(adapter.id))], [...rows, ...rest])
}

/** Settings of the local index. */
export async function localIndexKeys(): Promise<string> {
  return keysTable(fieldsOf(await loadAdapter('packages/search/local', isBackend)))
}

async function backends(): Promise<Described[]> {
  const folders = readdirSync(resolve(ROOT, 'packages/search')).map((id) => `packages/search/${id}`)
  const written = folders.filter((folder) => existsSync(resolve(ROOT, folder, 'src/index.ts'))).sort()
  const adapters = await Promise.all(written.map((folder) => loadAdapter(folder, isBackend)))
  return adapters.map((adapter) => ({ adapter, backend: adapter(sampleConfig(adapter)) }))
}

/** Placeholder values for required fields and, if it exists, `apiKey`. */
function sampleConfig(adapter: BackendAdapter): Record<string, string> {
  const { properties, required } = fieldsOf(adapter)
  const fields = new Set([...required, ...('apiKey' in properties ? ['apiKey'] : [])])
  return Object.fromEntries([...fields].map((field) => [field, field === 'baseUrl' ? 'https://search.example' : 'x']))
}

function environmentText(adapter: BackendAdapter): string {
  const { required } = fieldsOf(adapter)
  const fields = variablesOf(adapter).filter(
    ([field = '']) => field === code('apiKey') || required.includes(field.slice(1, -1)),
  )
  const names = fields.map(
    ([field, variables, standard]) =>
      `${variables}${standard === 'required' || field !== code('apiKey') ? '' : ' (optional)'}`,
  )
  return names.join('; ') || 'none'
}

function reachOf({ maxResults = 100 }: Paging): number {
  return Math.min(maxResults, 100)
}

function priceText({ baseUrl, price }: Backend): string {
  if (baseUrl === undefined) return '0'
  return price ? `${price.calls / 1e12}` : 'unknown'
}

function carries({ supports: carried }: Backend, parameter: Parameter): boolean {
  return carried === 'all' || (carried?.includes(parameter) ?? false)
}

function placeOf(backend: Backend, parameter: Parameter): string {
  if (carries(backend, parameter)) return 'yes'
  const operators: readonly string[] = backend.operators === 'all' ? OPERATORS : (backend.operators ?? [])
  if (operators.includes(parameter === 'highRange' ? 'lowRange' : parameter) || parameter === 'hq') return 'in `q`'
  return parameter === 'siteSearch' ? 'checked' : ''
}

import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ProviderAdapter, ProviderInstance } from '../../packages/core/src/contract/provider.ts'
import { isBackend, isProvider, loadAdapter, ROOT, variablesOf } from './adapters.ts'
import { exampleInstance } from './example-instance.ts'
import { code, table } from './markdown.ts'

const PROVIDERS = 'packages/providers'
const SEARCH = 'packages/search'

/** Members of a provider by kind of request. */
const FAMILIES = { chat: 'Chat', embeddings: 'Embeddings', rerank: 'Reranking', video: 'Video' } as const
type Family = keyof typeof FAMILIES

interface Described {
  readonly id: string
  readonly adapter: ProviderAdapter
  readonly instance: ProviderInstance
}

/** Providers and search backends by kind of request, with links to their packages from the root of the repository. */
export async function familiesTable(): Promise<string> {
  const all = await providers()
  const rows = (Object.keys(FAMILIES) as Family[]).map((family) => {
    const serving = all.filter(({ instance }) => serves(instance, family))
    return rowOf(
      FAMILIES[family],
      serving.map(({ id, adapter }) => linkTo(adapter.title, `${PROVIDERS}/${id}`)),
    )
  })
  const ids = idsIn(SEARCH)
  const backends = await Promise.all(ids.map((id) => loadAdapter(`${SEARCH}/${id}`, isBackend)))
  const links = backends.map(({ title }, index) => linkTo(title, `${SEARCH}/${ids[index]}`))
  return table(['Requests', 'Number', 'Providers and search backends'], [...rows, rowOf('Search', links)])
}

/** Every provider of this repository with its variables and kinds of requests, linked from `docs/`. */
export async function allProvidersTable(): Promise<string> {
  const all = await providers()
  return table(
    ['provider', 'id', 'variables', ...Object.values(FAMILIES).map((title) => title.toLowerCase())],
    all.map(({ id, adapter, instance }) => [
      linkTo(adapter.title, `../${PROVIDERS}/${id}`),
      code(id),
      variablesText(adapter),
      ...(Object.keys(FAMILIES) as Family[]).map((family) => (serves(instance, family) ? 'yes' : '')),
    ]),
  )
}

function rowOf(title: string, links: readonly string[]): string[] {
  return [title, String(links.length), links.join(', ')]
}

function linkTo(title: string, path: string): string {
  return `[${title}](${path})`
}

async function providers(): Promise<Described[]> {
  const described = await Promise.all(
    idsIn(PROVIDERS).map(async (id) => {
      const adapter = await loadAdapter(`${PROVIDERS}/${id}`, isProvider)
      return { id, adapter, instance: exampleInstance(adapter) }
    }),
  )
  return described.toSorted((one, other) => one.adapter.title.localeCompare(other.adapter.title, 'en'))
}

function serves(instance: ProviderInstance, family: Family): boolean {
  const support = instance[family]
  return Array.isArray(support) ? support.length > 0 : support !== undefined
}

/** Variables of the fields that are required or named `apiKey`. */
function variablesText(adapter: ProviderAdapter): string {
  return variablesOf(adapter)
    .filter(([field, , standard]) => field === code('apiKey') || standard === 'required')
    .map(([, variables = '']) => variables)
    .join('; ')
}

function idsIn(folder: string): string[] {
  return readdirSync(resolve(ROOT, folder)).toSorted()
}

import type { BackendInstance } from '@headgate/gateway'
import type { Inventory } from '../service/inventory.ts'
import type { Finding } from './finding.ts'

/**
 * What can be said of search without a search: each of them costs. That engines and the default are right, taking the
 * inventory has shown.
 */
export function checkSearch({ backends, search }: Inventory): Finding[] {
  if (!search)
    return [{ state: 'note', about: 'search', text: 'no backend is used', advice: 'See why: headgate adapters' }]
  const engines = Object.entries(search.engines ?? {})
  const shared = backends.flatMap(({ name, entry }) => (entry ? finding(name, entry.backend) : []))
  const own = engines.flatMap(([cx, { backend }]) =>
    typeof backend === 'string' ? [] : finding(cx, 'backend' in backend ? backend.backend : backend),
  )
  const text = `default: ${search.default ?? 'the backends in their order'}; engines: ${engines.map(([cx]) => cx).join(', ') || 'none'}`
  return [...shared, ...own, { state: 'ok', about: 'search', text }]
}

function finding(name: string, { baseUrl }: BackendInstance): Finding {
  const about = `search ${name}`
  if (baseUrl === undefined) return { state: 'ok', about, text: 'runs in this process: there is nothing to ask' }
  return { state: 'note', about, text: `at ${new URL(baseUrl).host}, not asked: every search costs` }
}

import type { BackendInstance } from '@headgate/gateway'
import type { Inventory } from '../service/inventory.ts'
import type { DoctorFinding } from './finding.ts'

/**
 * Findings about search without a search, since each one costs. Taking the inventory has already checked the engines
 * and the default.
 */
export function checkSearch({ backends, search }: Inventory): DoctorFinding[] {
  if (!search)
    return [
      {
        state: 'note',
        about: 'search',
        text: 'no backend is enabled',
        advice: 'See the reasons with headgate adapters',
      },
    ]
  const engines = Object.entries(search.engines ?? {})
  const shared = backends.flatMap(({ name, entry }) => (entry ? finding(name, entry.backend) : []))
  const own = engines.flatMap(([cx, { backend }]) =>
    typeof backend === 'string' ? [] : finding(cx, 'backend' in backend ? backend.backend : backend),
  )
  const text = `default: ${search.default ?? 'the backends in their order'}; engines: ${engines.map(([cx]) => cx).join(', ') || 'none'}`
  return [...shared, ...own, { state: 'ok', about: 'search', text }]
}

function finding(name: string, { baseUrl }: BackendInstance): DoctorFinding {
  const about = `search ${name}`
  if (baseUrl === undefined) return { state: 'ok', about, text: 'runs in this process' }
  return { state: 'note', about, text: `at ${new URL(baseUrl).host}, not checked: every search costs money` }
}

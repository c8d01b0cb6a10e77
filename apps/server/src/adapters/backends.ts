import type { BackendEntry, BackendInstance } from '@headgate/gateway'
import type { BackendConfig } from '../config/schema.ts'
import type { AdapterState } from './choice.ts'
import type { Kind } from './kind.ts'

/** Whether a search backend of an adapter is used, and why. */
export type BackendState = AdapterState<BackendInstance, BackendEntry>

/** From US dollars per 1,000 searches to integer nano-dollars of one. */
const NANO_OF_A_THOUSANDTH = 1e6

export const BACKENDS: Kind<BackendInstance, BackendConfig, BackendEntry> = {
  at: ['search', 'backends'],
  packages: '@headgate/search-',
  own: ['adapter', 'enabled', 'price'],
  entry: (backend, name, { price: dollars }) => ({
    backend,
    name,
    ...(dollars !== undefined && { price: Math.round(dollars * NANO_OF_A_THOUSANDTH) }),
  }),
  families: (_, all) => all.filter(({ kind }) => kind === 'backend').map(({ id }) => id),
  offers: ({ backend }) => (backend.corpus === 'own' ? "Headgate's own documentation" : undefined),
}

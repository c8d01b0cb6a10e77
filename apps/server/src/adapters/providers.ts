import type { ProviderEntry, ProviderInstance } from '@headgate/gateway'
import type { ProviderConfig } from '../config/schema.ts'
import type { AdapterState } from './choice.ts'
import type { Kind } from './kind.ts'

/** Whether a provider of an adapter is used, and why. */
export type ProviderState = AdapterState<ProviderInstance, ProviderEntry>

export const PROVIDERS: Kind<ProviderInstance, ProviderConfig, ProviderEntry> = {
  at: ['providers'],
  packages: '@headgate/provider-',
  general: 'chat completions',
  own: ['adapter', 'enabled', 'models', 'waiting'],
  entry: (provider, name, { models, waiting }) => ({
    provider,
    name,
    ...(models && { models }),
    ...(waiting !== undefined && { waiting }),
  }),
  families: ({ provider }, all) =>
    all.filter(({ kind, has }) => kind === 'provider' && has?.(provider)).map(({ id }) => id),
}

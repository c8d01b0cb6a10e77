import type { BackendAdapter, ProviderAdapter } from '@headgate/core'
import type { EnvironmentSource, HttpRequest } from '@headgate/core/provider'
import type { z } from 'zod'
import type { AdapterPackage } from './package.ts'

/** An adapter that was loaded, and where it comes from. */
export interface LoadedAdapter<A = ProviderAdapter | BackendAdapter> {
  readonly id: string
  readonly package: AdapterPackage
  readonly factory: A
}

/** What the adapters of all kinds share: a factory of instances that describes itself. */
export interface Adapter<I> {
  (config: Record<string, unknown>): I
  readonly config: z.ZodType
  /** Variables by field, and those that name a file. */
  readonly env: Readonly<Record<string, readonly EnvironmentSource[]>>
  readonly enable?: 'configured' | 'asked' | 'last-resort'
  readonly probe?: (config: Record<string, string>) => HttpRequest
}

/** What an adapter makes. */
export interface Instance {
  readonly baseUrl?: string
}

export function isProvider(adapter: LoadedAdapter): adapter is LoadedAdapter<ProviderAdapter> {
  return adapter.factory.kind === 'provider'
}

export function isBackend(adapter: LoadedAdapter): adapter is LoadedAdapter<BackendAdapter> {
  return adapter.factory.kind === 'search'
}

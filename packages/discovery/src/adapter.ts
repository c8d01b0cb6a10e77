import type { EnvironmentSource, HttpRequest, ProviderAdapter } from '@headgate/core/provider'
import type { BackendAdapter } from '@headgate/core/search'
import type { z } from 'zod'
import type { Description } from './description.ts'
import type { AdapterPackage } from './manifest.ts'

/** An adapter that is installed, and where it comes from. */
export interface FoundAdapter<A = ProviderAdapter | BackendAdapter> {
  readonly id: string
  readonly package: AdapterPackage
  readonly description: Description
  /** Imports it, once. @throws HeadgateError where it can not be loaded, or is no adapter of this program. */
  load(): Promise<LoadedAdapter<A>>
}

/** An adapter that was loaded. */
export interface LoadedAdapter<A = ProviderAdapter | BackendAdapter> extends FoundAdapter<A> {
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

/** Whether an adapter is used under a name, and why. */
export interface AdapterState<I, E> {
  readonly adapter: FoundAdapter<Adapter<I>>
  readonly name: string
  /** Present when it is used. */
  readonly entry?: E
  readonly why: string
}

export function isProvider(adapter: FoundAdapter): adapter is FoundAdapter<ProviderAdapter> {
  return adapter.package.kind === 'provider'
}

export function isBackend(adapter: FoundAdapter): adapter is FoundAdapter<BackendAdapter> {
  return adapter.package.kind === 'search'
}

import type { EnvironmentSource, HttpRequest, ProviderAdapter } from '@headgate/core/provider'
import type { BackendAdapter } from '@headgate/core/search'
import type { SinkAdapter } from '@headgate/core/sink'
import type { z } from 'zod'
import type { Description } from './description.ts'
import type { AdapterPackage } from './manifest.ts'

/** Adapter of any kind. */
export type AnyAdapter = ProviderAdapter | BackendAdapter | SinkAdapter

/** Installed adapter and its package. */
export interface FoundAdapter<A = AnyAdapter> {
  readonly id: string
  readonly package: AdapterPackage
  readonly description: Description
  /** Imports the adapter, once. @throws HeadgateError if it cannot be loaded, or is not an adapter of this program. */
  load(): Promise<LoadedAdapter<A>>
}

/** Loaded adapter. */
export interface LoadedAdapter<A = AnyAdapter> extends FoundAdapter<A> {
  readonly factory: A
}

/** Common part of adapters of all kinds: a factory of instances with metadata. */
export interface AdapterFactory<I> {
  (config: Record<string, unknown>): I
  readonly config: z.ZodType
  /** Variables by field, including variables that name a file. */
  readonly env: Readonly<Record<string, readonly EnvironmentSource[]>>
  readonly enable?: 'configured' | 'asked' | 'last-resort'
  readonly probe?: (config: Record<string, string>) => HttpRequest
}

/** Instance created by an adapter. */
export interface AdapterInstance {
  readonly baseUrl?: string
}

/** State of an adapter under a name, with the reason. */
export interface AdapterState<I, E> {
  readonly adapter: FoundAdapter<AdapterFactory<I>>
  readonly name: string
  /** Entry for the gateway; absent if the adapter is not enabled. */
  readonly entry?: E
  readonly why: string
}

export function isProvider(adapter: FoundAdapter): adapter is FoundAdapter<ProviderAdapter> {
  return adapter.package.kind === 'provider'
}

export function isBackend(adapter: FoundAdapter): adapter is FoundAdapter<BackendAdapter> {
  return adapter.package.kind === 'search'
}

export function isSink(adapter: FoundAdapter): adapter is FoundAdapter<SinkAdapter> {
  return adapter.package.kind === 'sink'
}

import type { families } from '@headgate/gateway'
import type { Instance } from './adapter.ts'

/** What a gateway can be asked for. */
export type Families = typeof families

/** What every entry of the configuration may say, whatever its adapter takes beside it. */
export interface EntryConfig {
  readonly [field: string]: unknown
  /** By default the entry's own name. */
  readonly adapter?: string
  readonly enabled?: boolean
}

/** What is different about the adapters of one kind, as data for what is the same. */
export interface Kind<I extends Instance, C extends EntryConfig, E> {
  /** Where the configuration has its entries. */
  readonly at: readonly string[]
  /** What the names of Headgate's own packages begin with. */
  readonly packages: string
  /**
   * What a server has to speak so that an adapter that asks for nothing but a base URL serves it; absent = there is
   * none such.
   */
  readonly general?: string
  /** Fields of an entry that are not the adapter's. */
  readonly own: readonly string[]
  /** What the gateway is given. */
  entry(instance: I, name: string, config: Partial<C>): E
  /**
   * Which of all families it can be asked for: an adapter of last resort is not used while another can be asked for the
   * same.
   */
  families(entry: E, all: Families): readonly string[]
  /** What an adapter of last resort that was given nothing has to offer. */
  offers?(entry: E): string | undefined
}

/** An entry without the fields that are not the adapter's. */
export function adapterConfig(config: EntryConfig, own: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([field]) => !own.includes(field)))
}

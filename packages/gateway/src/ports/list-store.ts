import type { ModelFacts } from '@headgate/core/canonical'

/** Persistent store of model lists. Its failures are warnings. */
export interface ListStore {
  read(name: string): Promise<readonly ModelFacts[] | undefined>
  write(name: string, facts: readonly ModelFacts[]): Promise<void>
}

import type { ModelFacts } from '@headgate/core/canonical'

/** Where lists outlive the process. Failures of it are warnings. */
export interface ListStore {
  read(name: string): Promise<readonly ModelFacts[] | undefined>
  write(name: string, facts: readonly ModelFacts[]): Promise<void>
}

import type { Call } from '@headgate/core/provider'
import type { Loss } from '@headgate/gateway'

/** Call outside of a gateway, with the declared losses. */
export interface TestCall extends Call {
  /** Losses in the order of their declaration. */
  readonly losses: readonly Loss[]
}

/**
 * Creates a call for tests of an adapter's functions, for example an exchange's `request`. By default, it has no model
 * and is not streamed.
 */
export function testCall(known: Partial<Omit<Call, 'lose'>> = {}): TestCall {
  const losses: Loss[] = []
  return {
    model: '',
    stream: false,
    headers: {},
    ...known,
    losses,
    lose: (path, reason, kind = 'dropped') => void losses.push({ path, reason, kind }),
  }
}

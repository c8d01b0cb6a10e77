import type { Call } from '@headgate/core/provider'
import type { Loss } from '@headgate/gateway'

/** A call outside of a gateway, with what was declared to be lost. */
export interface TestCall extends Call {
  /** In the order in which they were declared. */
  readonly losses: readonly Loss[]
}

/**
 * A call for tests of an adapter's own functions, such as an exchange's `request`. By default it is for no model and
 * not streamed.
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

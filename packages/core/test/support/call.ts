import type { Loss } from '../../src/index.ts'
import type { Call } from '../../src/provider.ts'

/** A call outside of a gateway, with what was declared to be lost. */
export function callOf(known: Partial<Omit<Call, 'lose'>> = {}): Call & { readonly losses: readonly Loss[] } {
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

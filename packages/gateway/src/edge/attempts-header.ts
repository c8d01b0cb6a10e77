import { since } from '../clock.ts'
import type { AttemptRow } from '../ports/ledger.ts'

/** Maximum length of the header. Earlier attempts than these are left out. */
const MAX_LENGTH = 1_024

/** Attempts of a request so far. */
export interface AttemptedRequest {
  readonly attempts: readonly Pick<AttemptRow, 'provider' | 'endpoint' | 'status' | 'failure' | 'durationMs'>[]
  /** Attempt in progress, which serves the request. */
  readonly running: { readonly place: string; readonly begunAt: number } | undefined
}

/**
 * Value of the header `headgate-attempts`: for each call, its endpoint, its status or failure, and its duration, such
 * as `azure/eu;429;212ms, azure/us;200;640ms`. The duration of a streamed response ends at its first content.
 * Undefined = no calls.
 */
export function attemptsHeader({ attempts, running }: AttemptedRequest): string | undefined {
  let value = running ? `${running.place};200;${since(running.begunAt)}ms` : ''
  for (let place = attempts.length - 1; place >= 0; place--) {
    const { provider, endpoint, status, failure, durationMs } = attempts[place] as AttemptedRequest['attempts'][number]
    const name = endpoint === undefined ? provider : `${provider}/${endpoint}`
    const text = `${name};${status ?? failure ?? 200};${durationMs}ms`
    if (value.length + text.length + 2 > MAX_LENGTH) break
    value = value === '' ? text : `${text}, ${value}`
  }
  return value === '' ? undefined : value
}

import type { HttpRequest, HttpResponse, Leased, Signed } from '@headgate/core/contract'
import { isNext } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { wireRequest } from './request.ts'
import { recordSecrets } from './secrets.ts'
import type { Upstreams } from './upstream.ts'
import { fetchWhole } from './whole-response.ts'

/** Timeout for obtaining a lease, in milliseconds. */
const OBTAIN_MS = 30_000
/** Maximum requests for obtaining a lease. */
const MAX_STEPS = 5
const MAX_BYTES = 1024 * 1024
/** A lease is renewed when a fifth of its lifetime is left, or five minutes if that is less. */
const RENEW_SHARE = 0.2
const RENEW_MS = 300_000
/** Pause after a failed renewal while the current lease is still valid, in milliseconds. */
const PAUSE_MS = 5_000

/** State of one lease. Times are Unix milliseconds. */
interface LeaseState {
  material: Leased<unknown> | undefined
  renewAt: number
  expiresAt: number
  flight: Promise<Leased<unknown>> | undefined
}

/** Leases of signed credentials. A lease is obtained once for all waiting requests and renewed before it expires. */
export interface Leases {
  /**
   * Lease for `sign`, without waiting if a valid one exists. Rejects with HeadgateError `our-credential` if it cannot
   * be obtained, or with the reason of `signal`, which stops only this caller's wait.
   */
  material(credential: Signed, signal?: () => AbortSignal): unknown
  /** Forgets a lease that the provider rejected, unless it has been replaced. */
  drop(credential: Signed, material: unknown): void
}

export function createLeases(upstreams: Upstreams): Leases {
  const all = new WeakMap<Signed, LeaseState>()
  const heldOf = (credential: Signed): LeaseState => {
    let held = all.get(credential)
    if (!held) {
      held = { material: undefined, renewAt: 0, expiresAt: 0, flight: undefined }
      all.set(credential, held)
    }
    return held
  }

  const take = (held: LeaseState, credential: Signed, leased: Leased<unknown>): Leased<unknown> => {
    const now = Date.now()
    const expiresAt = leased.expiresAt instanceof Date ? leased.expiresAt.getTime() : Number.NaN
    // An invalid date is rejected as well: the expiry would be unknown.
    if (!(expiresAt > now))
      throw new HeadgateError(
        'our-credential',
        'The credential that was obtained for this provider has already expired. Check the clock of this machine.',
      )
    recordSecrets(credential, 'leased', credential.lease?.secrets(leased) ?? [])
    held.material = leased
    held.expiresAt = expiresAt
    held.renewAt = expiresAt - Math.min(RENEW_MS, (expiresAt - now) * RENEW_SHARE)
    return leased
  }

  const fly = (held: LeaseState, credential: Signed): Promise<Leased<unknown>> => {
    held.flight ??= obtain(upstreams, credential)
      .then((leased) => take(held, credential, leased))
      .finally(() => {
        held.flight = undefined
      })
    return held.flight
  }

  const renew = (held: LeaseState, credential: Signed): void => {
    if (held.flight) return
    fly(held, credential).catch(() => {
      held.renewAt = Date.now() + PAUSE_MS
    })
  }

  return {
    material(credential, signal) {
      if (!credential.lease) return undefined
      const held = heldOf(credential)
      const now = Date.now()
      if (held.material !== undefined && now < held.expiresAt) {
        // Renew in the background. A failure becomes visible once the lease has expired.
        if (now >= held.renewAt) renew(held, credential)
        return held.material
      }
      const flight = fly(held, credential)
      return signal ? unlessStopped(flight, signal()) : flight
    },
    drop(credential, material) {
      const held = all.get(credential)
      if (held && held.material === material) held.material = undefined
    },
  }
}

function unlessStopped<T>(flight: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    flight.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The response of a credential service may contain credentials, so it is not quoted. */
function refused(answer: HttpResponse, origin: string): HeadgateError {
  return new HeadgateError(
    'our-credential',
    `${new URL(origin).host} responded with status ${answer.status} when a credential was requested. Check the configured credential.`,
  )
}

async function obtain(upstreams: Upstreams, { lease }: Signed): Promise<Leased<unknown>> {
  if (!lease) throw new TypeError('A credential without a lease has nothing to obtain.')
  const signal = AbortSignal.timeout(OBTAIN_MS)
  const earlier: HttpResponse[] = []
  let now = new Date()
  let request: HttpRequest = lease.obtain.request({ now })
  try {
    for (let step = 0; step < MAX_STEPS; step++) {
      now = new Date()
      const sent = wireRequest(lease, request)
      const answer = await fetchWhole(upstreams, sent, { limit: MAX_BYTES, signal })
      if (answer.status >= 400) throw refused(answer, sent.origin)
      const out = lease.obtain.response(answer, earlier, { now })
      if (!isNext(out)) return out
      earlier.push(answer)
      request = out.request
    }
  } catch (cause) {
    if (HeadgateError.is(cause) && cause.kind === 'our-credential') throw cause
    const why = HeadgateError.is(cause) ? ` ${cause.message}` : ''
    throw new HeadgateError('our-credential', `The credential for this provider could not be obtained.${why}`, {
      cause,
    })
  }
  throw new HeadgateError('our-credential', `Obtaining a credential took more than ${MAX_STEPS} requests.`)
}

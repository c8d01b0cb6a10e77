import type { HttpRequest, HttpResponse, Leased, Signed } from '@headgate/core/contract'
import { isNext } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { fetchWhole } from './answer.ts'
import { wireRequest } from './request.ts'
import { noteSecrets } from './secrets.ts'
import type { Upstreams } from './upstream.ts'

/** How long obtaining may take, in milliseconds, whoever waits for it. */
const OBTAIN_MS = 30_000
/** Most requests of it. */
const MAX_STEPS = 5
const MAX_BYTES = 1024 * 1024
/** What is leased is renewed when a fifth of its time is left, or five minutes if that is less. */
const RENEW_SHARE = 0.2
const RENEW_MS = 300_000
/** After a renewal that fails, so long none is begun while what is held still holds. */
const PAUSE_MS = 5_000

/** What is known of one lease. Times in Unix milliseconds. */
interface Held {
  material: Leased<unknown> | undefined
  renewAt: number
  expiresAt: number
  flight: Promise<Leased<unknown>> | undefined
}

/** Keeps what signed credentials lease: obtained once for all who wait, renewed before it ends. */
export interface Leases {
  /**
   * What `sign` needs: at once where it is held. Rejects with HeadgateError `our-credential` when it can not be had, or
   * with the reason of `signal`, which ends the waiting of one caller and not the obtaining.
   */
  material(credential: Signed, signal?: () => AbortSignal): unknown
  /** Forgets what is no longer taken, unless it has been replaced. */
  drop(credential: Signed, material: unknown): void
}

export function createLeases(upstreams: Upstreams): Leases {
  const all = new WeakMap<Signed, Held>()
  const heldOf = (credential: Signed): Held => {
    let held = all.get(credential)
    if (!held) {
      held = { material: undefined, renewAt: 0, expiresAt: 0, flight: undefined }
      all.set(credential, held)
    }
    return held
  }

  const take = (held: Held, credential: Signed, leased: Leased<unknown>): Leased<unknown> => {
    const now = Date.now()
    const expiresAt = leased.expiresAt instanceof Date ? leased.expiresAt.getTime() : Number.NaN
    // Not a number as well: nobody knows when that ends.
    if (!(expiresAt > now))
      throw new HeadgateError('our-credential', 'What was obtained to sign requests has already expired.')
    noteSecrets(credential, 'leased', credential.lease?.secrets(leased) ?? [])
    held.material = leased
    held.expiresAt = expiresAt
    held.renewAt = expiresAt - Math.min(RENEW_MS, (expiresAt - now) * RENEW_SHARE)
    return leased
  }

  const fly = (held: Held, credential: Signed): Promise<Leased<unknown>> => {
    held.flight ??= obtain(upstreams, credential)
      .then((leased) => take(held, credential, leased))
      .finally(() => {
        held.flight = undefined
      })
    return held.flight
  }

  const renew = (held: Held, credential: Signed): void => {
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
        // Who finds it in its last fifth begins the renewal; nobody waits for it, and what it fails of is seen once it
        // has ended.
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

/** Words of whoever gives credentials may hold some. What is said is what can be mended here. */
function refused(answer: HttpResponse, origin: string): HeadgateError {
  return new HeadgateError(
    'our-credential',
    `${new URL(origin).host} answered with status ${answer.status} when a credential was to be obtained.`,
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

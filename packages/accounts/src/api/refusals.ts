import type { Caller } from '../roles/caller.ts'
import { networkOf } from '../sign-in/address.ts'
import type { ManagementParts } from './parts.ts'

/** State of a request that may be refused. */
export interface Attempted {
  /** Caller, as far as known. */
  caller?: Caller
  /** True if the caller only needs to confirm their identity, which is not a refusal. */
  isPrompt?: boolean
}

export interface RefusedRequest {
  readonly caller: Caller
  /** Method and path, such as `GET /api/v1/keys`. */
  readonly target: string
  readonly status: number
}

/** Length of a period in milliseconds. */
const PERIOD = 60_000
/** Maximum entries per period: in total, and per person or key. Unknown callers have one per network. */
const MOST = { all: 200, each: 20 }

/** Writes refused requests to the audit log, limited so that callers cannot fill it. Never rejects. */
export function createRefusals({
  accounts,
  onProblem,
  now = Date.now,
}: ManagementParts): (refusal: RefusedRequest) => Promise<void> {
  const noted = new Map<string, Set<string>>()
  let count = 0
  let since = Number.NEGATIVE_INFINITY
  const isNew = ({ caller, target }: RefusedRequest): boolean => {
    if (now() - since >= PERIOD) {
      noted.clear()
      count = 0
      since = now()
    }
    const who = 'id' in caller ? caller.id : networkOf(caller.address ?? '')
    const targets = noted.get(who) ?? new Set<string>()
    if (count >= MOST.all || targets.has(target) || targets.size >= ('id' in caller ? MOST.each : 1)) return false
    count += 1
    noted.set(who, targets.add(target))
    return true
  }
  return async (refusal) => {
    if (!isNew(refusal)) return
    const { caller, target, status } = refusal
    try {
      await accounts.recordRefusal(caller, { action: 'access.refuse', target, after: { status }, result: 'refused' })
    } catch (error) {
      onProblem(`A refused request could not be written to the audit log: ${String(error)}`)
    }
  }
}

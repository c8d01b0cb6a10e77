import type { UsageRow } from '@headgate/gateway/ports'
import { storable } from '../database/group.ts'

type StoredEndpoint = NonNullable<UsageRow['routing']>['considered'][number]

/** Routing decision as stored. Later versions can have other policies. */
export interface StoredRouting {
  readonly policy: string
  /** Endpoints in the order in which they would be tried. */
  readonly considered: readonly StoredEndpoint[]
}

/** Maximum number of stored endpoints. */
const MOST = 16
/** Maximum size of a stored decision in bytes of UTF-8. */
const BYTES = 4_096

/**
 * Routing decision as JSON; null without one. Endpoints above the limits are dropped, the last ones first. The shape is
 * validated, since another version may have written the row.
 */
export function routingText(routing: UsageRow['routing']): string | null {
  if (!routing || !Array.isArray(routing.considered)) return null
  const considered = routing.considered.slice(0, MOST).map(fieldsOf)
  for (;;) {
    const text = storable(JSON.stringify({ policy: routing.policy, considered }))
    if (Buffer.byteLength(text) <= BYTES) return text
    if (considered.length === 0) return null
    considered.pop()
  }
}

function fieldsOf({ provider, endpoint, model, why }: StoredEndpoint): StoredEndpoint {
  return { provider, ...(endpoint !== undefined && { endpoint }), model, why }
}

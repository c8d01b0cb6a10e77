import {
  type ChatRequest,
  dropped,
  fitToolNames,
  type Json,
  type Loss,
  type WriteState as Shared,
  type Target,
  under,
} from '@headgate/core/codec'

import { type Abilities, abilitiesOf } from './models.ts'

export const ID = 'converse'

const TOOL_NAME = { illegal: /[^a-zA-Z0-9_-]/g, max: 64 } as const

/** Maximum number of cache points in a request. */
const MOST_POINTS = 4

/** State of one request's writers. */
export interface Writing extends Shared {
  readonly model: Abilities
  /** Number of cache points and documents written so far. */
  readonly written: { points: number; documents: number }
}

export function writing(request: ChatRequest, target: Target, losses: Loss[]): Writing {
  const names = fitToolNames(request, TOOL_NAME, losses)
  return { request, target, losses, names, model: abilitiesOf(target.model), written: { points: 0, documents: 0 } }
}

/** Cache point that follows a marked node. */
export function cachePoint(
  { model, written, losses }: Writing,
  node: { at?: string; cache?: { ttl?: string } },
  isTool = false,
): Json[] {
  if (!node.cache) return []
  const path = under(node, 'cache_control')
  const refused = !(isTool ? model.cachesTools : model.caches) ? 'the model has no cache points' : undefined
  const why = refused ?? (written.points >= MOST_POINTS ? 'at most four cache points are allowed' : undefined)
  if (why !== undefined) {
    dropped(losses, path, why)
    return []
  }
  written.points++
  const { ttl } = node.cache
  return [{ cachePoint: { type: 'default', ...((ttl === '5m' || ttl === '1h') && { ttl }) } }]
}

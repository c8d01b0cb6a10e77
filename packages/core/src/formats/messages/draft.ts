import type { CacheMark, Node } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, type Loss, under } from '../../chat/loss.ts'
import type { Target } from '../../chat/target.ts'
import type { Generation } from './models.ts'

/** A node that was written with a cache mark. */
interface Marked {
  readonly out: Json
  readonly path: string
}

/** What the parts of a request share while it is written. */
export interface Draft {
  readonly target: Target
  readonly model: Generation
  readonly losses: Loss[]
  /** Names of tools → as they are sent. */
  readonly names: ReadonlyMap<string, string>
  /** Cache marks in the order of the prompt: tools, system, messages. */
  readonly marks: Marked[]
}

/** The vendor refuses a fifth. */
const MOST_MARKS = 4

const LIFETIMES = new Set(['5m', '1h'])

/** Writes a node's cache mark. */
export function mark(node: Node & { cache?: CacheMark }, out: Json, draft: Draft): void {
  const path = under(node, 'cache_control')
  if (node.cache) out['cache_control'] = cacheControl(node.cache, path, draft.losses)
  if (out['cache_control']) draft.marks.push({ out, path })
}

export function cacheControl(cache: CacheMark, path: string, losses: Loss[]): Json {
  if (cache.ttl === undefined) return { type: 'ephemeral' }
  if (LIFETIMES.has(cache.ttl)) return { type: 'ephemeral', ttl: cache.ttl }
  changed(losses, `${path}.ttl`, 'the lifetimes are 5m and 1h: the default is used')
  return { type: 'ephemeral' }
}

/**
 * Takes marks away until four are left, `others` of which stand elsewhere. The first stays, for conversations that share the
 * beginning of the prompt, and the last ones, for the next turn of this one.
 */
export function limitMarks(draft: Draft, others: number): void {
  const most = MOST_MARKS - others
  if (draft.marks.length <= most) return
  for (const { out, path } of draft.marks.slice(1, draft.marks.length - most + 1)) {
    delete out['cache_control']
    dropped(draft.losses, path, 'at most four cache breakpoints are allowed')
  }
}

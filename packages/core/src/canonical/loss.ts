import type { Node } from './block.ts'

/** Field that a translation dropped or changed. */
export interface Loss {
  /** Path in the body that was read, with indices: `messages[2].content[0].cache_control`. */
  readonly path: string
  readonly kind: 'dropped' | 'changed'
  /** Reason for the usage row: a short clause without data of the request. */
  readonly reason: string
  /**
   * Number of losses that this entry represents, if a request has too many to list. `path` is then the first of the
   * paths that differ only in indices.
   */
  readonly count?: number
}

/** Fields that do not change the response. Strict mode allows their loss, except with `all`. */
export const HINTS: ReadonlySet<string> = new Set([
  'cache_control',
  'prompt_cache_breakpoint',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'user',
  'user_id',
  'safety_identifier',
  'metadata',
  'labels',
  'filename',
  'displayName',
  'title',
  'store',
  'seed',
  'service_tier',
  'serviceTier',
])

/** True for the loss of a hint (`docs/translation.md` lists them). */
export function isHint(loss: Loss): boolean {
  const path = loss.path.replace(/\[\d+\]$/, '')
  return path.split('.').some((key) => HINTS.has(key))
}

/** Number of recent losses that are checked for duplicates, since each event of a stream can have the same loss. */
const RECENT = 8
/**
 * Maximum losses that are listed separately. Further losses are grouped by paths without indices, in at most `FOLDED`
 * groups.
 */
const LISTED = 1000
const FOLDED = 100
/** Maximum characters of a reported path. */
const LONGEST_PATH = 512
/** Path of losses that are counted but not named. */
const OTHERS = '*'

/** Index of each group's entry, for lists that are longer than `LISTED`. */
const places = new WeakMap<readonly Loss[], Map<string, number>>()

function record(losses: Loss[], loss: Loss): void {
  for (let i = losses.length - 1; i >= Math.max(0, losses.length - RECENT); i--) {
    if (losses[i]?.path === loss.path && losses[i]?.kind === loss.kind) return
  }
  add(losses, loss)
}

function add(losses: Loss[], loss: Loss): void {
  const short = loss.path.length > LONGEST_PATH ? { ...loss, path: `${loss.path.slice(0, LONGEST_PATH)}…` } : loss
  if (losses.length < LISTED) losses.push(short)
  else count(losses, short)
}

function count(losses: Loss[], loss: Loss): void {
  const known = places.get(losses) ?? new Map<string, number>()
  places.set(losses, known)
  const key = `${loss.kind} ${foldedPath(loss.path)}`
  const isNamed = known.has(key) || losses.length < LISTED + FOLDED
  const path = isNamed ? loss.path : othersLike(loss)
  const place = known.get(isNamed ? key : path)
  const before = place === undefined ? undefined : losses[place]
  if (place !== undefined && before) losses[place] = { ...before, count: (before.count ?? 1) + (loss.count ?? 1) }
  else known.set(isNamed ? key : path, losses.push({ ...loss, path }) - 1)
}

/** Path of losses that are not named. Hints are counted separately by key, since strict mode allows them. */
function othersLike(loss: Loss): string {
  return isHint(loss) ? `${OTHERS}.${loss.path.split(/[.[]/).find((key) => HINTS.has(key)) ?? ''}` : OTHERS
}

/** Path without indices: `messages[*].content[*].cache_control`. */
export function foldedPath(path: string): string {
  return path.replace(/\[\d+\]/g, '[*]')
}

/** Adds losses to a list. */
export function addLosses(losses: Loss[], more: readonly Loss[]): void {
  for (const loss of more) add(losses, loss)
}

/**
 * Declares a dropped field. An undefined path declares nothing.
 * @example dropped(losses, request.paths.seed, 'the vendor has no equivalent')
 */
export function dropped(losses: Loss[], path: string | undefined, reason: string): void {
  if (path !== undefined) record(losses, { path, kind: 'dropped', reason })
}

/**
 * Declares a changed field. An undefined path declares nothing.
 * @example changed(losses, request.paths.stop, 'the vendor allows 4 stop sequences')
 */
export function changed(losses: Loss[], path: string | undefined, reason: string): void {
  if (path !== undefined) record(losses, { path, kind: 'changed', reason })
}

/**
 * Path of a field of a node.
 * @example under(block, 'cache_control') // 'messages[2].content[0].cache_control'
 */
export function under(node: Node, key: string): string {
  return node.at ? `${node.at}.${key}` : key
}

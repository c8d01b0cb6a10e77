import type { Node } from './block.ts'

/** What one translation dropped or changed. */
export interface Loss {
  /** Path in the wire body that was read, with indices: `messages[2].content[0].cache_control`. */
  readonly path: string
  readonly kind: 'dropped' | 'changed'
  /** Why, for the usage row: one short clause without content of the request. */
  readonly reason: string
  /**
   * How many losses it stands for, where those of one request are too many to be listed: of paths that differ in
   * indices only the first.
   */
  readonly count?: number
}

/** Fields that advise and do not change what is answered; strict mode lets them go unless it is `all`. */
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

/** Whether a loss is of a hint only (a table of them is in `docs/translation.md`). */
export function isHint(loss: Loss): boolean {
  const path = loss.path.replace(/\[\d+\]$/, '')
  return path.split('.').some((key) => HINTS.has(key))
}

/**
 * A stream can lose the same thing with each of its events: it is one loss. So many of the last ones are looked
 * through.
 */
const RECENT = 8
/**
 * So many losses are listed one by one. Of the rest those are one loss whose paths differ in indices only, as long as
 * they are no more than `FOLDED`.
 */
const LISTED = 1000
const FOLDED = 100
/** The longest path that is told, in characters. */
const LONGEST_PATH = 512
/** The path of what is counted and not named. */
const OTHERS = '*'

/** Of lists that are longer than `LISTED`: where the losses of a folded path are counted. */
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

/** The path of losses that are not named. Hints are counted apart, by their key, as the strict let them go. */
function othersLike(loss: Loss): string {
  return isHint(loss) ? `${OTHERS}.${loss.path.split(/[.[]/).find((key) => HINTS.has(key)) ?? ''}` : OTHERS
}

/** A path without its indices: `messages[*].content[*].cache_control`. */
export function foldedPath(path: string): string {
  return path.replace(/\[\d+\]/g, '[*]')
}

/** Adds the losses of one list to another. */
export function addLosses(losses: Loss[], more: readonly Loss[]): void {
  for (const loss of more) add(losses, loss)
}

export function dropped(losses: Loss[], path: string | undefined, reason: string): void {
  if (path !== undefined) record(losses, { path, kind: 'dropped', reason })
}

export function changed(losses: Loss[], path: string | undefined, reason: string): void {
  if (path !== undefined) record(losses, { path, kind: 'changed', reason })
}

/** The path of a field of a node. */
export function under(node: Node, key: string): string {
  return node.at ? `${node.at}.${key}` : key
}

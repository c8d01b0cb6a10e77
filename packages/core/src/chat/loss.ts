import type { Node } from './block.ts'

/** What one translation dropped or changed. */
export interface Loss {
  /** Path in the wire body that was read, with indices: `messages[2].content[0].cache_control`. */
  readonly path: string
  readonly kind: 'dropped' | 'changed'
  /** Why, for the usage row: one short clause without content of the request. */
  readonly reason: string
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

/** Whether a loss is of a hint only (a table of them is in `docs/formats.md`). */
export function isHint(loss: Loss): boolean {
  const path = loss.path.replace(/\[\d+\]$/, '')
  return path.split('.').some((key) => HINTS.has(key))
}

/** A stream can lose the same thing with each of its events: it is one loss. So many of the last ones are looked through. */
const RECENT = 8

function record(losses: Loss[], loss: Loss): void {
  for (let i = losses.length - 1; i >= Math.max(0, losses.length - RECENT); i--) {
    if (losses[i]?.path === loss.path && losses[i]?.kind === loss.kind) return
  }
  losses.push(loss)
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

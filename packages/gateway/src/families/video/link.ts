import type { Signer, Task, TaskOptions } from '../../ports/tasks.ts'
import { keptOf } from '../../serve/tasks/kept.ts'
import type { KeptAsset, Part } from './got.ts'

export const TASKS = '/api/v3/contents/generations/tasks'
const PURPOSE = 'video-content'
const HOUR = 3_600
const DAY = 86_400
/**
 * A URL of the upstream's that answers for less is not given to callers, in milliseconds: a day, but for what has
 * passed since it was made.
 */
const SHORTEST = 23 * HOUR * 1_000

/** What links are made with. */
export interface Linking extends Pick<TaskOptions, 'publicUrl' | 'linking'> {
  readonly links: Signer
  readonly basePath: string
}

/**
 * Seconds since 1970 at which a link ends that is given now: a day and up to an hour, so that it stays the same for a
 * while.
 */
function endOf(now: number): number {
  return Math.ceil((now / 1_000 + DAY) / HOUR) * HOUR
}

/** Shorter, it may stand in any URL by chance. */
const SHORTEST_ID = 8

/**
 * Whether a URL is for callers: it needs no credential, lasts for a day, and does not show what the upstream calls the
 * task.
 */
function isForCallers({ needsCredential, expiresAt }: KeptAsset, url: string, task: Task): boolean {
  const id = keptOf(task).ref?.id ?? ''
  const isShort = expiresAt !== undefined && expiresAt - task.updatedAt < SHORTEST
  return !needsCredential && !isShort && !(id.length >= SHORTEST_ID && url.includes(id))
}

/** Where a caller gets a file of a task: at the upstream, or at the gateway for a day. */
export function linkOf(
  { publicUrl, linking, links, basePath }: Linking,
  task: Task,
  part: Part,
  asset: KeptAsset,
  now = Date.now(),
): string {
  const { url } = asset
  if (url !== undefined && linking !== 'own' && isForCallers(asset, url, task)) return url
  const end = endOf(now)
  const query = new URLSearchParams({
    ...(part !== 'video' && { part }),
    exp: String(end),
    sig: links.sign([PURPOSE, task.id, part], end),
  })
  return `${publicUrl()}${basePath}${TASKS}/${task.id}/content?${query}`
}

/** Whether a link is ours, of that file, and holds still. */
export function isOurs(links: Signer, id: string, part: Part, exp: string | null, sig: string | null): boolean {
  if (exp === null || sig === null || !/^[1-9]\d{0,11}$/.test(exp)) return false
  return links.verify([PURPOSE, id, part], Number(exp), sig)
}

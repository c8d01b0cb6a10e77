import type { Signer, Task, TaskOptions } from '../../ports/tasks.ts'
import { taskStateOf } from '../../serve/tasks/state.ts'
import type { AssetName, StoredAsset } from './result.ts'

export const TASKS = '/api/v3/contents/generations/tasks'
const PURPOSE = 'video-content'
const HOUR = 3_600
const DAY = 86_400
/**
 * Minimum lifetime of an upstream URL that callers can get, in milliseconds: a day minus the time since its creation.
 */
const SHORTEST = 23 * HOUR * 1_000

/** Settings for links. */
export interface Linking extends Pick<TaskOptions, 'publicUrl' | 'linking'> {
  readonly links: Signer
  readonly basePath: string
}

/**
 * Expiry of a new link, in Unix seconds. It is rounded up to a full hour, so that the link stays the same for a while.
 */
function endOf(now: number): number {
  return Math.ceil((now / 1_000 + DAY) / HOUR) * HOUR
}

/** Minimum length of a task id to look for in URLs. Shorter ids can occur by chance. */
const SHORTEST_ID = 8

/**
 * True if callers can get an upstream URL: it needs no credential, lasts for a day and does not contain the upstream's
 * task id.
 */
function isForCallers({ needsCredential, expiresAt }: StoredAsset, url: string, task: Task): boolean {
  const id = taskStateOf(task).ref?.id ?? ''
  const isShort = expiresAt !== undefined && expiresAt - task.updatedAt < SHORTEST
  return !needsCredential && !isShort && !(id.length >= SHORTEST_ID && url.includes(id))
}

/** URL of a task's file: at the upstream, else a gateway link that is valid for a day. */
export function linkOf(
  { publicUrl, linking, links, basePath }: Linking,
  task: Task,
  part: AssetName,
  asset: StoredAsset,
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

/** True if a link is signed for this file and has not expired. */
export function isValidLink(
  links: Signer,
  id: string,
  part: AssetName,
  exp: string | null,
  sig: string | null,
): boolean {
  if (exp === null || sig === null || !/^[1-9]\d{0,11}$/.test(exp)) return false
  return links.verify([PURPOSE, id, part], Number(exp), sig)
}

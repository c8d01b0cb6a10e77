import { setTimeout as wait } from 'node:timers/promises'
import type { Json, VideoRequest } from '@headgate/core/provider'
import type { CallerResponse } from '../../caller.ts'
import type { Harness } from '../../harness.ts'
import { object, text } from '../../json.ts'
import { arkBody } from './requests.ts'

export const TASKS = '/api/v3/contents/generations/tasks'

/** Longer than any step takes on a busy machine. Milliseconds. */
const PATIENCE_MS = 3_000
/** Milliseconds between polls of a task by a caller. */
const PACE_MS = 10

/** Sends a video request to the gateway in the Ark wire format. */
export function askFor(harness: Harness, request: Omit<VideoRequest, 'body'>): Promise<CallerResponse> {
  return harness.ask({ path: TASKS, body: arkBody(request) })
}

/** Task as callers receive it. */
export async function taskOf(harness: Harness, id: string): Promise<Json> {
  const { body } = await harness.ask({ path: `${TASKS}/${id}` })
  return object(body)
}

/** Polls a task until it matches, and returns its last state. */
export async function awaited(
  harness: Harness,
  id: string,
  isDue: (task: Json) => boolean,
  patience = PATIENCE_MS,
): Promise<Json> {
  for (const until = Date.now() + patience; ; await wait(PACE_MS)) {
    const task = await taskOf(harness, id)
    if (isDue(task) || Date.now() > until) return task
  }
}

export const isOver = ({ status }: Json): boolean => status !== 'queued' && status !== 'running'

/** Code of an error in the shape of Ark. Undefined for other shapes. */
export function codeOf({ body }: Pick<CallerResponse, 'body'>): string | undefined {
  const { code, message, type } = object(object(body)['error'])
  return text(message) !== '' && text(type) !== '' ? text(code) || undefined : undefined
}

/** Response to a caller, for messages. */
export function said({ status, text }: CallerResponse): string {
  return `status ${status}, ${text.slice(0, 200)}`
}

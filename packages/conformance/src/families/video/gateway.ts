import { setTimeout as wait } from 'node:timers/promises'
import type { Json, VideoRequest } from '@headgate/core/provider'
import type { Bench } from '../../bench.ts'
import type { Got } from '../../caller.ts'
import { object, text } from '../../json.ts'
import { arkBody } from './requests.ts'

export const TASKS = '/api/v3/contents/generations/tasks'

/** Longer than anything takes on a machine that is busy. */
const PATIENCE_MS = 3_000
/** How often a caller asks for a task. */
const PACE_MS = 10

/** Asks the gateway for a video, in the Ark wire. */
export function askFor(bench: Bench, request: Omit<VideoRequest, 'body'>): Promise<Got> {
  return bench.ask({ path: TASKS, body: arkBody(request) })
}

/** A task as callers get it. */
export async function taskOf(bench: Bench, id: string): Promise<Json> {
  const { body } = await bench.ask({ path: `${TASKS}/${id}` })
  return object(body)
}

/** The task as soon as it is as wanted, as a caller gets it who asks again and again; else as it was last. */
export async function awaited(
  bench: Bench,
  id: string,
  isDue: (task: Json) => boolean,
  patience = PATIENCE_MS,
): Promise<Json> {
  for (const until = Date.now() + patience; ; await wait(PACE_MS)) {
    const task = await taskOf(bench, id)
    if (isDue(task) || Date.now() > until) return task
  }
}

export const isOver = ({ status }: Json): boolean => status !== 'queued' && status !== 'running'

/** Code of an error in the shape of Ark; undefined = it has another shape. */
export function codeOf({ body }: Pick<Got, 'body'>): string | undefined {
  const { code, message, type } = object(object(body)['error'])
  return text(message) !== '' && text(type) !== '' ? text(code) || undefined : undefined
}

/** What a caller got, for messages. */
export function said({ status, text }: Got): string {
  return `status ${status}, ${text.slice(0, 200)}`
}

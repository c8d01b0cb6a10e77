import { z } from 'zod'
import { defineProvider, object, text, type VideoSupport, type VideoTask } from '../../../core/src/provider.ts'
import { createSubKeys } from '../../../store/src/secret/sub-keys.ts'
import { memoryTasks, type TaskOptions, type TaskStore } from '../../src/index.ts'
import type { Task } from '../../src/ports.ts'
import { startGateway } from '../support/gateway.ts'

export const TASKS = '/api/v3/contents/generations/tasks'
export const SECRET = 'whsec_c2VjcmV0LW9mLXRoZS10ZXN0cw=='
/** No test waits for a provider's usual pace. */
export const FAST = { everyMs: 1, perSecond: 1_000 }

/** What keeps tasks, with links to the loopback. */
export function taskOptions(changes: Partial<TaskOptions> = {}): TaskOptions & { readonly store: TaskStore } {
  return {
    store: memoryTasks(),
    publicUrl: () => 'http://gateway.test',
    links: createSubKeys(['a secret of the tests, long enough'], 'links'),
    callbackSecret: () => SECRET,
    ...changes,
  }
}

/** A vendor with a wire of its own: `POST /tasks`, `GET /tasks/{id}`, `DELETE /tasks/{id}`. */
export function videoProvider(url: string, changes: Partial<VideoSupport> = {}, name = 'films') {
  return defineProvider({ id: name, title: 'Films', config: z.strictObject({}), env: {} }, () => ({
    baseUrl: url,
    credential: { kind: 'header', name: 'authorization', value: 'Bearer sk-films' },
    known: [
      {
        id: 'reel-1',
        families: ['video'],
        price: { id: 'films@today', input: 0, output: 0, units: { seconds: 1_000_000_000 } },
      },
    ],
    video: {
      create: {
        request: ({ model, text, duration, firstFrame, intent }) => ({
          method: 'POST',
          url: '/tasks',
          body: {
            json: { model, prompt: text, seconds: duration, image: firstFrame?.url ?? firstFrame?.base64, tag: intent },
          },
        }),
        response: ({ body }) => ({ id: String(object(body)?.['id']) }),
      },
      get: {
        request: ({ id }) => ({ method: 'GET', url: `/tasks/${id}` }),
        response: ({ body }) => readTask(object(body) ?? {}),
      },
      cancel: {
        request: ({ id }) => ({ method: 'DELETE', url: `/tasks/${id}` }),
        response: ({ body }) => (object(body)?.['done'] === true ? 'canceled' : 'not-cancelable'),
      },
      pollRate: FAST,
      ...changes,
    },
  }))({})
}

function readTask({ state, url, seconds, why }: Record<string, unknown>): VideoTask {
  if (state === 'done')
    return {
      status: 'succeeded',
      video: { url: String(url) },
      usage: { input: 0, output: 0, units: { seconds: Number(seconds) } },
      output: { duration: Number(seconds) },
    }
  if (state === 'broken') return { status: 'failed', error: { kind: 'failed', message: text(why) ?? '' } }
  return { status: state === 'waiting' ? 'queued' : 'running' }
}

/** A gateway with tasks. */
export async function startVideos(options: Parameters<typeof startGateway>[1], tasks: Partial<TaskOptions> = {}) {
  const port = taskOptions(tasks)
  const running = await startGateway('node', { ...options, tasks: port })
  const json = async (answer: Response | Promise<Response>): Promise<[number, Record<string, unknown>]> => {
    const answered = await answer
    return [answered.status, (await answered.json()) as Record<string, unknown>]
  }
  return {
    ...running,
    store: port.store,
    create: (body: object = {}, init?: RequestInit) =>
      json(running.post(TASKS, { model: 'reel-1', content: [{ type: 'text', text: 'a cat surfing' }], ...body }, init)),
    get: (id: unknown, init?: RequestInit) => json(running.call(`${TASKS}/${String(id)}`, init)),
    list: (query = '', init?: RequestInit) => json(running.call(`${TASKS}${query}`, init)),
    remove: (id: unknown, init: RequestInit = {}) =>
      json(running.call(`${TASKS}/${String(id)}`, { method: 'DELETE', ...init })),
  }
}

const ATTEMPT = {
  provider: 'films',
  model: 'reel-1',
  startedAt: 1,
  durationMs: 1,
  status: 200,
  cost: null,
  priceId: null,
}

/** A task as a store has it, without a gateway that made it. */
export function keptTask(changes: Partial<Task> = {}, data: object = {}): Task {
  const at = Date.now()
  return {
    id: 'cgt-20260101000000-a',
    family: 'video',
    owner: 'key-1',
    model: 'reel-1',
    provider: 'films',
    providerModel: 'reel-1',
    tier: 'default',
    status: 'queued',
    createdAt: at,
    updatedAt: at,
    nextAt: at,
    version: 1,
    ...changes,
    data: {
      intent: '0198c0de-0000-7000-8000-000000000001',
      requestId: 'req_1',
      ref: { id: 'upstream-task-1' },
      expiresAt: at + 60_000,
      losses: [],
      attempts: [ATTEMPT],
      asked: {},
      misses: 0,
      missing: 0,
      ...data,
    },
  }
}

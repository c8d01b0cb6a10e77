import type { Json } from '@headgate/core/canonical'
import {
  bodyOf,
  HEADERS,
  IDEMPOTENCY_KEY,
  LOST,
  OBJECT,
  objectResponse,
  REQUEST_ID,
  type RouteOperation,
  SERVED_BY,
} from '../../edge/operation.ts'
import type { PathParameters } from '../../edge/router.ts'
import type { GatewayOptions } from '../../ports/gateway-options.ts'
import { type Context, sendHead } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import type { Family, ServedRoute } from '../../serve/family.ts'
import { readRequestBody } from '../../serve/request-body.ts'
import { createTasks } from '../../serve/tasks/tasks.ts'
import { boundOfVideo } from './bound.ts'
import { serveContent } from './content.ts'
import { serveCreate } from './create.ts'
import { writeVideoError } from './error.ts'
import { type Linking, TASKS } from './link.ts'
import { deleteTask, getTask, listTasks } from './manage.ts'
import { videoTaskSchema } from './schema.ts'
import { videoTasks } from './tasks.ts'

const ONE = new RegExp(`^${TASKS}/([\\w-]{1,128})$`)
const CONTENT = new RegExp(`^${TASKS}/([\\w-]{1,128})/content$`)

const matching =
  (pattern: RegExp) =>
  (path: string): PathParameters | undefined => {
    const id = pattern.exec(path)?.[1]
    return id === undefined ? undefined : { id }
  }

function parameter(name: string, schema: Json, place = 'query'): Json {
  return { name, in: place, required: place === 'path', schema }
}

const TEXT = { type: 'string' }
const ID = parameter('id', TEXT, 'path')
const COUNT = { type: 'integer', minimum: 1, maximum: 500 }

const OPERATIONS = {
  create: {
    id: 'create-video-task',
    summary: 'Creates a task that generates a video.',
    parameters: [...HEADERS, IDEMPOTENCY_KEY],
    conflicts: true,
    requestBody: bodyOf('video-task'),
    responses: objectResponse('The id of the task.', { ...REQUEST_ID, ...SERVED_BY, ...LOST }),
  },
  list: {
    id: 'list-video-tasks',
    summary: 'Lists the tasks of the last seven days, newest first.',
    parameters: [
      parameter('page_num', COUNT),
      parameter('page_size', COUNT),
      parameter('filter.status', { enum: ['queued', 'running', 'cancelled', 'succeeded', 'failed', 'expired'] }),
      parameter('filter.model', TEXT),
      parameter('filter.service_tier', { ...TEXT, default: 'default' }),
      parameter('filter.task_ids', { type: 'array', items: TEXT }),
    ],
    responses: objectResponse('The tasks and their total number.'),
  },
  get: {
    id: 'get-video-task',
    summary: 'Returns a task and its files.',
    parameters: [ID],
    responses: objectResponse('The task.'),
  },
  delete: {
    id: 'delete-video-task',
    summary: 'Cancels a queued task or deletes a finished one; 409 while it runs.',
    parameters: [ID],
    responses: objectResponse('An empty object.'),
    conflicts: true,
  },
  content: {
    id: 'get-video-content',
    summary: 'Returns a file of a task. The link is signed and needs no key. Supports ranges.',
    parameters: [
      ID,
      parameter('part', { enum: ['video', 'lastFrame', 'cover', 'file'], default: 'video' }),
      parameter('exp', TEXT),
      parameter('sig', TEXT),
    ],
    responses: { '200': { description: 'The file.', headers: REQUEST_ID, content: { 'video/mp4': OBJECT } } },
  },
} satisfies Record<string, RouteOperation>

function answerTask(context: Context, value: Json): void {
  const body = Buffer.from(JSON.stringify(value))
  sendHead(context, 200, { 'content-type': 'application/json', 'content-length': String(body.length) })
  context.sink.end(body)
}

function routesOf(core: Core, options: GatewayOptions & Required<Pick<GatewayOptions, 'tasks'>>) {
  const { tasks: port, basePath = '', onWarning = () => {} } = options
  const linking: Linking = { ...port, basePath }
  const tasks = createTasks(core, videoTasks(linking), port, onWarning)
  const id = (parameters: PathParameters): string => parameters['id'] ?? ''
  const routes: readonly ServedRoute[] = [
    {
      method: 'POST',
      path: TASKS,
      operation: OPERATIONS.create,
      canDryRun: true,
      isIdempotent: true,
      serve: async (context) => serveCreate(core, tasks, context, await readRequestBody(core, context)),
    },
    {
      method: 'GET',
      path: TASKS,
      operation: OPERATIONS.list,
      serve: async (context, { query }) => answerTask(context, await listTasks(tasks, linking, context, query)),
    },
    {
      method: 'GET',
      path: `${TASKS}/{id}`,
      match: matching(ONE),
      operation: OPERATIONS.get,
      serve: async (context, { parameters }) =>
        answerTask(context, await getTask(tasks, linking, context, id(parameters))),
    },
    {
      method: 'DELETE',
      path: `${TASKS}/{id}`,
      match: matching(ONE),
      operation: OPERATIONS.delete,
      serve: async (context, { parameters }) => answerTask(context, await deleteTask(tasks, context, id(parameters))),
    },
    {
      method: 'GET',
      path: `${TASKS}/{id}/content`,
      match: matching(CONTENT),
      operation: OPERATIONS.content,
      isSigned: true,
      serve: (context, { parameters, query }) => serveContent(core, tasks, linking, context, id(parameters), query),
    },
  ]
  return { routes, close: () => tasks.close() }
}

/** Video generation by tasks, in the wire of Volcengine Ark. @see https://www.volcengine.com/docs/82379/1520757 */
export const video: Family = {
  id: 'video',
  kind: 'provider',
  schemas: { 'video-task': videoTaskSchema },
  errors: (path) => (path.startsWith('/api/v3/') ? { writeError: writeVideoError } : undefined),
  has: ({ video }) => video !== undefined,
  bound: boundOfVideo,
  open: (core, options) => (options.tasks ? routesOf(core, { ...options, tasks: options.tasks }) : undefined),
}

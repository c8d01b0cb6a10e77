import {
  expiryOf,
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  isObject,
  type Json,
  next,
  number,
  object,
  objects,
  type TaskStatus,
  taskId,
  text,
  type UpstreamError,
  type Usage,
  type VideoAsset,
  type VideoFailure,
  type VideoIntent,
  type VideoRequest,
  type VideoSupport,
  type VideoTask,
} from '@headgate/core/provider'
import { z } from 'zod'
import { abilities, seedance } from './models.ts'

const PATH = '/contents/generations/tasks'
/** Maximum page size. */
const PAGE = 500
const MOST_PAGES = 20

const Task = z.looseObject({ status: z.string() })
const List = z.object({ items: z.array(z.unknown()).nullish(), total: z.number().nullish() })

/**
 * Content generation tasks. A lost task is found by `safety_identifier`, which is the id of the creation if the caller
 * has set none.
 *
 * @see https://www.volcengine.com/docs/82379/1520757
 */
export const video: VideoSupport = {
  native: 'ark',
  capabilities: abilities,
  accepts,
  create: {
    request: ({ model, intent, user, body }) => ({
      method: 'POST',
      url: PATH,
      body: { json: { ...body, model, safety_identifier: user ?? intent } },
    }),
    response: (answer) => ({ id: taskId(answer, 'id') }),
  },
  get: {
    request: ({ id }) => ({ method: 'GET', url: `${PATH}/${encodeURIComponent(id)}` }),
    response: ({ body }) => readTask(Task.parse(body)),
  },
  cancel: {
    request: ({ id }) => ({ method: 'DELETE', url: `${PATH}/${encodeURIComponent(id)}` }),
    // The task is already running.
    reads: ({ status }) => status === 409,
    response: ({ status }) => (status === 409 ? 'not-cancelable' : 'canceled'),
  },
  trace: ({ user, body }) => ({ named: user !== undefined, tier: body['service_tier'] }),
  find: {
    request: (intent) => listPage(intent, 1),
    response({ body }, intent, earlier) {
      const { items, total } = List.parse(body)
      const page = objects(items)
      const found = text(page.find((task) => task['safety_identifier'] === intent.intent)?.['id'])
      if (found !== undefined) return { id: found }
      const seen = page.length + earlier.reduce((sum, one) => sum + objects(List.parse(one.body).items).length, 0)
      const isLast = page.length === 0 || (total ? seen >= total : page.length < PAGE)
      if (intent.trace?.['named'] === true || isLast) return undefined
      const read = earlier.length + 1
      if (read === MOST_PAGES) throw new HeadgateError('upstream', `The list has more than ${seen} tasks to search.`)
      return next(listPage(intent, read + 1))
    },
  },
}

function accepts({ model, firstFrame, lastFrame, ratio, images, videos, audios }: VideoRequest): readonly string[] {
  const isFramed = firstFrame !== undefined || lastFrame !== undefined
  const ofFrame =
    seedance(model)?.startsWith('seedance-2-5') === true && isFramed && ratio !== undefined && ratio !== 'adaptive'
  const alone = audios.length > 0 && images.length + videos.length === 0
  return [
    ...(ofFrame ? ['the video has the ratio of the frame: omit `ratio`'] : []),
    ...(alone ? ['a reference sound requires a reference image or video'] : []),
  ]
}

/**
 * Page of the list. Without a tier, the list only has tasks of the default tier. If the caller has set an identifier,
 * the search cannot succeed.
 */
function listPage({ trace }: VideoIntent, page: number): HttpRequest {
  const size = trace?.['named'] === true ? 1 : PAGE
  const query = new URLSearchParams({ page_num: String(page), page_size: String(size) })
  const tier = text(trace?.['tier'])
  if (tier !== undefined) query.set('filter.service_tier', tier)
  return { method: 'GET', url: `${PATH}?${query}` }
}

const STATUSES = new Map<string, TaskStatus>([
  ['queued', 'queued'],
  ['pending', 'queued'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
  ['expired', 'expired'],
])

function readTask(native: Json & { status: string }): VideoTask {
  const content = object(native['content'])
  const made = asset(content?.['video_url'])
  const lastFrame = asset(content?.['last_frame_url'])
  const file = asset(content?.['file_url'])
  const isDone = native.status === 'succeeded' && (made ?? file) !== undefined
  const status = isDone ? 'succeeded' : (STATUSES.get(native.status) ?? 'running')
  const error = status === 'failed' ? failure(native) : undefined
  const usage = readUsage(native)
  return {
    status,
    ...(made && { video: made }),
    ...(lastFrame && { lastFrame }),
    ...(file && { file }),
    ...(error && { error }),
    ...(usage && { usage }),
    native,
  }
}

function asset(value: unknown): VideoAsset | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const expiresAt = expiryOf(value)
  return { url: value, ...(expiresAt !== undefined && { expiresAt }) }
}

/** Reads a failure. List items have it as `failure_reason`. */
function failure(native: Json): VideoFailure {
  const error = object(native['error']) ?? object(native['failure_reason'])
  const code = text(error?.['code']) ?? ''
  const kind = FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? 'failed'
  return { kind, message: text(error?.['message']) ?? '' }
}

/** Failures by code; the first match applies. */
const FAILURES: readonly (readonly [RegExp, VideoFailure['kind']])[] = [
  [/^(?:InputText)?(?:SensitiveContent|RiskDetection)/, 'refused-text'],
  [/^Input\w*(?:SensitiveContent|RiskDetection)/, 'refused-media'],
  [/SensitiveContent|RiskDetection/, 'refused-output'],
  [/^InvalidParameter|^MissingParameter/, 'invalid-request'],
  [/^AccessDenied/, 'forbidden'],
  [/^AccountOverdue|^SetLimitExceeded|^QuotaExceeded|^RateLimitExceeded/, 'over-quota'],
  [/^ServerOverloaded/, 'overloaded'],
]

function readUsage(native: Json): Usage | undefined {
  const usage = object(native['usage'])
  const output = number(usage?.['completion_tokens'])
  if (output === undefined) return undefined
  const searches = number(object(usage?.['tool_usage'])?.['web_search'])
  const tier = native['service_tier'] === 'flex' ? { tier: 'flex' } : {}
  return { input: 0, output, ...tier, ...(searches && { units: { searches } }) }
}

/** Error kinds by code; the first match applies. */
const KINDS: readonly (readonly [RegExp, UpstreamError['kind']])[] = [
  [/SensitiveContent|RiskDetection/, 'content-policy'],
  [/^AccountOverdue|^SetLimitExceeded/, 'our-quota'],
  [/^ServerOverloaded/, 'overloaded'],
  [/^ModelNotOpen|^InvalidEndpoint/, 'unknown-model'],
  [/NotFound/, 'not-found'],
]

export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const error = isObject(body) && status >= 400 ? object(body['error']) : undefined
  const code = text(error?.['code'])
  const kind = code && KINDS.find(([pattern]) => pattern.test(code))?.[1]
  return kind ? { kind, message: text(error?.['message']) ?? '' } : undefined
}

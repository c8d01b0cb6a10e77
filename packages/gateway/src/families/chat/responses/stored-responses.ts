import { isObject, type Json } from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import { forModel } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { background, responses } from '@headgate/core/formats'
import { hopsOf } from '../../../edge/hops.ts'
import { objectResponse, REQUEST_ID, SERVED_BY } from '../../../edge/operation.ts'
import type { PathParameters } from '../../../edge/router.ts'
import { signalOf } from '../../../edge/stop.ts'
import { finishExchange } from '../../../http/exchange.ts'
import type { SharedUse, StoredResponse } from '../../../ports/responses.ts'
import { endpointAt } from '../../../routing/catalog.ts'
import { type Context, sendWholeBody } from '../../../serve/context.ts'
import type { Core } from '../../../serve/core.ts'
import { explain, failureOf } from '../../../serve/failure.ts'
import type { ServedRoute } from '../../../serve/family.ts'
import { instancesFor } from '../../../serve/permission.ts'
import type { ResponseContent } from '../../../serve/responses/responses.ts'
import { type BackgroundRuns, cancelBackgroundResponse, currentState } from './background.ts'
import { resumeStream } from './resume.ts'

const PATH = '/v1/responses'
const MADE = background
/** Path segments that are not response ids. */
const WORDS: ReadonlySet<string> = new Set(['compact', 'input_tokens'])

/** Inputs of an action besides the response. */
interface ActionContext {
  readonly core: Core
  readonly runs: BackgroundRuns
  readonly context: Context
}

/** Operation on a stored response. */
interface StoredResponseAction {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path after the id. */
  readonly rest: '' | '/cancel' | '/input_items'
  readonly id: string
  readonly summary: string
  readonly use: SharedUse['use']
  readonly conflicts?: boolean
  /** True if the response's events can be streamed. */
  readonly streams?: boolean
  /** Runs the action on a response that the gateway stores. */
  run(at: ActionContext, answer: StoredResponse, query: URLSearchParams): Promise<Json>
  /** Runs after the provider has executed the action on a response that it stores. */
  after?(core: Core, answer: StoredResponse): Promise<unknown>
}

function idAt(path: string, rest: string): PathParameters | undefined {
  const id = new RegExp(`^${PATH}/([^/]+)${rest}$`).exec(path)?.[1]
  return id === undefined || (rest === '' && WORDS.has(id)) ? undefined : { id }
}

function missing(id: string): HeadgateError {
  return new HeadgateError('not-found', `The response ${JSON.stringify(id.slice(0, 128))} was not found for this key.`)
}

function contentOf({ storedResponses }: Core, answer: StoredResponse): ResponseContent {
  const kept = storedResponses.read(answer)
  if (kept) return kept
  throw missing(answer.id)
}

/** Maximum items per page. */
const MAX_ITEMS = 100

/** Input items of a response, newest first unless `order` is `asc`. */
function inputItems(kept: ResponseContent, id: string, query: URLSearchParams): Json {
  const items = kept.input.map((item, index) =>
    isObject(item) ? { id: `in_${index}_${id}`, ...item } : { id: `in_${index}_${id}` },
  )
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') throw invalid('order', 'order must be asc or desc.')
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ITEMS)
    throw invalid('limit', `limit must be a whole number from 1 to ${MAX_ITEMS}.`)
  const sorted = order === 'asc' ? items : items.reverse()
  const after = query.get('after')
  const from = after === null ? 0 : sorted.findIndex((item) => item.id === after) + 1
  const data = sorted.slice(from, from + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < sorted.length,
  }
}

const ACTIONS: readonly StoredResponseAction[] = [
  {
    method: 'GET',
    rest: '',
    id: 'get-response',
    summary: 'Returns a stored response, or its events if it was created with `background` and `stream`.',
    use: 'read',
    streams: true,
    run: async ({ core }, answer) => currentState(contentOf(core, answer), MADE),
  },
  {
    method: 'DELETE',
    rest: '',
    id: 'delete-response',
    summary: 'Deletes a stored response.',
    use: 'delete',
    async run({ core }, answer) {
      const { id } = answer
      await core.storedResponses.remove(answer)
      return { id, object: 'response', deleted: true }
    },
    after: (core, answer) => core.storedResponses.remove(answer),
  },
  {
    method: 'POST',
    rest: '/cancel',
    id: 'cancel-response',
    summary: 'Cancels a background response.',
    use: 'cancel',
    conflicts: true,
    run: ({ core, runs, context }, answer) =>
      cancelBackgroundResponse(core, runs, context.principal, answer, contentOf(core, answer), MADE),
  },
  {
    method: 'GET',
    rest: '/input_items',
    id: 'list-response-input-items',
    summary: 'Lists the input items of a stored response.',
    use: 'read',
    run: async ({ core }, answer, query) => inputItems(contentOf(core, answer), answer.id, query),
  },
]

/** Routes of stored responses. */
export function storedResponseRoutes(core: Core, runs: BackgroundRuns): ServedRoute[] {
  return ACTIONS.map((action) => ({
    method: action.method,
    path: `${PATH}/{id}${action.rest}`,
    match: (path) => idAt(path, action.rest),
    operation: {
      id: action.id,
      summary: action.summary,
      responses: objectResponse('The result in the responses format.', { ...REQUEST_ID, ...SERVED_BY }),
      ...(action.conflicts && { conflicts: true }),
    },
    async serve(context, { parameters, query }) {
      const { id = '' } = parameters
      const answer = (await core.storedResponses.find(context.principal, [id])).get(id)
      if (answer?.id !== id) throw missing(id)
      await core.storedResponses.auditUse(context, [answer], action.use)
      if (answer.provider !== undefined) return forward(core, context, answer, action, query)
      const asked = new URLSearchParams(query)
      if (action.streams && asked.get('stream') === 'true') {
        const look = async (): Promise<ResponseContent> => {
          const found = (await core.storedResponses.find(context.principal, [id])).get(id)
          if (found) return contentOf(core, found)
          throw missing(id)
        }
        return resumeStream(core, runs, context, answer, asked, look)
      }
      send(context, Buffer.from(JSON.stringify(await action.run({ core, runs, context }, answer, asked))))
    },
  }))
}

/** Forwards a request to the provider that stores the response. */
async function forward(
  core: Core,
  context: Context,
  kept: StoredResponse,
  action: StoredResponseAction,
  query: string,
): Promise<void> {
  const { id, provider: place = '' } = kept
  if (new URLSearchParams(query).get('stream') === 'true')
    throw invalid('stream', 'A stored response cannot be streamed again. Remove stream.')
  const found = endpointAt(instancesFor(context.principal, core.instances), place)
  const support = found?.endpoint.provider.chat?.find((one) => !('run' in one) && one.format === responses.id)
  if (!found || !support || 'run' in support)
    throw new HeadgateError(
      'not-found',
      `The response ${id} is stored at the provider ${place}, which is no longer available to this key.`,
    )
  const { provider } = found.endpoint
  const { name } = found.instance
  const call = { model: '', stream: false, headers: {}, lose: () => {} }
  const [path = '', own = ''] = support.path(call).split('?')
  const all = new URLSearchParams([...new URLSearchParams(own), ...new URLSearchParams(query)]).toString()
  const url = `${path}/${encodeURIComponent(id)}${action.rest}${all === '' ? '' : `?${all}`}`
  if (context.stopped) throw context.stopped
  const answer = await finishExchange(
    core,
    provider,
    { method: action.method, url, headers: { ...forModel(support.headers, call.model) } },
    (given) => given,
    {
      limit: core.limits.answer,
      memory: context.memory,
      signal: AbortSignal.any([signalOf(context), AbortSignal.timeout(core.times.whole)]),
      hops: hopsOf(context.incoming),
      check: (given) => check(given, name, provider),
    },
  )
  await action.after?.(core, kept)
  send(context, Buffer.from(answer.bytes), name)
}

function check(answer: HttpResponse, name: string, provider: Parameters<typeof failureOf>[2]): void {
  if (answer.status === 404) throw new HeadgateError('not-found', `${name} no longer has the response.`)
  const error = failureOf(answer, responses, provider)
  // A complete response that failed is a valid result here.
  if (error && answer.status >= 300) throw explain(error, name, '', provider)
}

function send(context: Context, body: Buffer, vendor?: string): void {
  sendWholeBody(
    context,
    200,
    { 'content-type': 'application/json', ...(vendor !== undefined && { 'headgate-vendor': vendor }) },
    body,
  )
}

import type { VideoAsset } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { headerOf } from '../../edge/sink.ts'
import { offStop, onStop, signalOf } from '../../edge/stop.ts'
import { checkedUrl } from '../../http/guard.ts'
import { guardedCall } from '../../http/guarded-call.ts'
import { callSealed } from '../../http/send.ts'
import type { UpstreamCall, UpstreamHandler } from '../../http/upstream.ts'
import type { Task } from '../../ports/tasks.ts'
import { type EndpointPlace, endpointAt } from '../../routing/catalog.ts'
import { type Context, sendHead } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { callProvider, emptyResult } from '../../serve/tasks/call.ts'
import { errorWithGatewayId, taskStateOf } from '../../serve/tasks/state.ts'
import type { Tasks } from '../../serve/tasks/tasks.ts'
import { contentHeaders, sendBytes } from './content-response.ts'
import { isValidLink, type Linking } from './link.ts'
import { ASSET_NAMES, type AssetName, assetsOf, type StoredAsset, videoResultOf } from './result.ts'

const MAX_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Statuses of an expired URL: the file may be available under a new one. */
const OUTDATED: ReadonlySet<number> = new Set([400, 401, 403, 404, 410])
/** A URL that expires within this time counts as expired, in milliseconds. */
const SOON = 10_000

interface ContentRequest {
  readonly core: Core
  readonly tasks: Tasks
  readonly context: Context
  readonly place: EndpointPlace
}

/** The current asset from the upstream. */
async function freshAsset(
  { core, tasks, context, place }: ContentRequest,
  task: Task,
  part: AssetName,
): Promise<VideoAsset> {
  const { ref } = taskStateOf(task)
  const get = place.endpoint.provider.video?.get
  const signal = AbortSignal.any([signalOf(context), tasks.ended])
  const ask =
    get &&
    ref &&
    callProvider(core, { instance: place.instance, endpoint: place.endpoint, model: task.providerModel }, get, ref, {
      signal,
      result: emptyResult(),
    })
  const asked = await ask?.catch((error: unknown) => Promise.reject(errorWithGatewayId(task, error)))
  const asset = asked && assetsOf(asked)[part]
  if (!asset) throw new HeadgateError('not-found', 'The provider no longer has this file.')
  return asset
}

/** Starts a GET request: with the credential if the URL needs it, guarded if the host is not the provider's. */
async function begin(
  { core, tasks, context, place }: ContentRequest,
  url: string,
  needsCredential: boolean,
  handler: UpstreamHandler,
): Promise<UpstreamCall> {
  const { provider } = place.endpoint
  const headers: Record<string, string> = {}
  for (const name of ['range', 'if-range']) {
    const value = headerOf(context.incoming, name)
    if (value !== undefined) headers[name] = value
  }
  if (needsCredential) return callSealed(core, provider, { method: 'GET', url, headers }, tasks.ended, handler)
  const target = checkedUrl(url)
  const isOwn = provider.baseUrl !== undefined && URL.parse(provider.baseUrl)?.origin === target.origin
  if (!isOwn) return guardedCall(tasks.parts.guard, target, headers, handler)
  return core.upstreams.call(
    { method: 'GET', origin: target.origin, path: target.pathname + target.search, headers },
    handler,
  )
}

type RelayOutcome = 'answered' | 'outdated' | { readonly redirect: string }

/** Streams one URL to the caller. Resolves when the stream has ended. */
function relay(place: ContentRequest, url: string, needsCredential: boolean, name: string): Promise<RelayOutcome> {
  const { context } = place
  const { sink } = context
  return new Promise((resolve, reject) => {
    let call: UpstreamCall | undefined
    let isPassing = false
    const leave = (outcome: RelayOutcome): void => {
      call?.abort()
      offStop(context, stop)
      resolve(outcome)
    }
    const stop = (error: HeadgateError): void => {
      call?.abort()
      reject(error)
    }
    const handler: UpstreamHandler = {
      head(status, headers) {
        const { location } = headers
        const redirect =
          REDIRECTS.has(status) && typeof location === 'string' ? URL.parse(location, url)?.href : undefined
        if (redirect !== undefined) return leave({ redirect })
        if (OUTDATED.has(status)) return leave('outdated')
        if (status !== 200 && status !== 206 && status !== 416)
          return stop(new HeadgateError('upstream', `The file could not be fetched: status ${status}.`))
        isPassing = true
        sendHead(context, status, contentHeaders(headers, name))
        if (context.incoming.method !== 'HEAD') return
        sink.end()
        leave('answered')
      },
      data(chunk) {
        if (!isPassing || sink.write(chunk)) return
        call?.pause()
        sink.onDrain(() => call?.resume())
      },
      end() {
        if (!isPassing) return
        sink.end()
        resolve('answered')
      },
      fail(error) {
        if (!isPassing) return reject(error)
        sink.destroy()
        resolve('answered')
      },
    }
    onStop(context, stop)
    begin(place, url, needsCredential, handler).then((begun) => {
      call = begun
      if (context.stopped) stop(context.stopped)
    }, reject)
  })
}

/** Streams a URL and follows redirects, without the credential. */
async function relayThrough(place: ContentRequest, asset: StoredAsset, name: string): Promise<'answered' | 'outdated'> {
  let url = asset.url ?? ''
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const outcome = await relay(place, url, asset.needsCredential === true && redirects === 0, name)
    if (outcome === 'answered' || outcome === 'outdated') return outcome
    url = outcome.redirect
  }
  throw new HeadgateError('upstream', `The file redirects more than ${MAX_REDIRECTS} times.`)
}

/** Serves a file of a task to anyone who has its link. @throws HeadgateError for the caller. */
export async function serveContent(
  core: Core,
  tasks: Tasks,
  { links }: Linking,
  context: Context,
  id: string,
  query: string,
): Promise<void> {
  const given = new URLSearchParams(query)
  const part = ASSET_NAMES.find((one) => one === (given.get('part') ?? 'video'))
  if (!part || !isValidLink(links, id, part, given.get('exp'), given.get('sig')))
    throw new HeadgateError('forbidden', 'This link is invalid or has expired. Get the task again for a new link.')
  const task = await tasks.parts.options.store.get(id)
  const asset = task && videoResultOf(taskStateOf(task))?.assets[part]
  const place = task && endpointAt(core.instances, task.provider)
  if (!task || !asset || !place)
    throw new HeadgateError('not-found', `The task ${id.slice(0, 64)} is no longer stored.`)
  const request: ContentRequest = { core, tasks, context, place }
  const isKept = asset.url !== undefined && (asset.expiresAt === undefined || asset.expiresAt > Date.now() + SOON)
  if (isKept && (await relayThrough(request, asset, id)) === 'answered') return
  const fresh = await freshAsset(request, task, part)
  if (fresh.bytes)
    return sendBytes(context, fresh.bytes, fresh.type ?? (part === 'video' ? 'video/mp4' : 'image/png'), id)
  if ((await relayThrough(request, fresh, id)) === 'outdated')
    throw new HeadgateError('upstream', 'The provider no longer serves this file. It may have been deleted.')
}

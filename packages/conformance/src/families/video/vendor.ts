import { parse } from '../../json.ts'
import { show } from '../../show.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { RemoteVideoFacts, VideoAnswer, VideoMeaning } from './facts.ts'

export type StateName = keyof RemoteVideoFacts['states']

/** Purpose of a request to the vendor. */
export type VideoMethod = 'create' | 'get' | 'cancel' | 'find' | 'video'

/** File that the vendor serves as a video: the beginning of an MP4 file. */
export const MP4 = '\u0000\u0000\u0000\u0018ftypmp42\u0000\u0000\u0000\u0000mp42isom'

/** Responses that a check can replace. */
interface Now {
  created: VideoAnswer
  /** Responses to the requests for a task, in order. */
  task: readonly VideoAnswer[]
  cancelled: VideoAnswer | undefined
  listed: VideoAnswer | undefined
}

/** Simulated vendor for any video. Its responses come from the facts until a check replaces them. */
export interface VideoVendor {
  answer(request: Received): UpstreamReply
  /** Requests for tasks as it understood them, oldest first. */
  readonly asked: readonly VideoMeaning[]
  readonly refusals: readonly string[]
  /** Requests without a response, and requests without the task's id. */
  readonly strays: readonly string[]
  /** Requests with their purpose, oldest first. */
  readonly asks: readonly { readonly for: VideoMethod; readonly request: Received }[]
  /** Current responses. */
  readonly now: Now
}

export function videoVendor(facts: RemoteVideoFacts, origin: string): VideoVendor {
  const asked: VideoMeaning[] = []
  const refusals: string[] = []
  const strays: string[] = []
  const asks: { for: VideoMethod; request: Received }[] = []
  const now: Now = {
    created: facts.created,
    task: facts.states.running,
    cancelled: facts.cancel?.done,
    listed: facts.find?.none,
  }
  const fail = (status: number, reason: string): UpstreamReply =>
    replyOf([status, errorOf(facts, status, reason)], origin)
  const stray = (request: Received, why: string): UpstreamReply => {
    strays.push(`${request.method} ${request.path}${request.query.size > 0 ? `?${request.query}` : ''}, which ${why}`)
    return fail(404, 'This endpoint does not exist.')
  }
  const create = (request: Received): UpstreamReply => {
    try {
      asked.push(facts.read(request))
      return replyOf(now.created, origin)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      refusals.push(reason)
      return fail(400, reason)
    }
  }
  return {
    asked,
    refusals,
    strays,
    asks,
    answer(request) {
      const place = placesOf(facts).find(({ line }) => isLine(request, line))
      if (!place) return stray(request, 'is not an endpoint of the vendor')
      asks.push({ for: place.for, request })
      if (place.for === 'create') return create(request)
      if (place.for === 'video') return { kind: 'whole', headers: { 'content-type': 'video/mp4' }, body: MP4 }
      if (place.for === 'find') return replyOf(now.listed ?? [404], origin)
      if (!place.isOther && !hasId(request, facts.id)) return stray(request, 'does not name the task')
      if (place.for === 'cancel') return replyOf(now.cancelled ?? [404], origin)
      const answer = now.task[place.nth ?? 0]
      return answer === undefined
        ? stray(request, 'is unnecessary after the earlier responses')
        : replyOf(answer, origin)
    },
    now,
  }
}

/** Error body of the vendor. */
export function errorOf({ error }: RemoteVideoFacts, status: number, message: string): object {
  return error?.(status, message) ?? { message }
}

/** Endpoints of the vendor, for messages. */
export function linesOf(facts: RemoteVideoFacts, of: VideoMethod): string[] {
  return placesOf(facts).flatMap((place) => (place.for === of ? [place.line] : []))
}

interface VendorRoute {
  readonly for: VideoMethod
  readonly line: string
  readonly nth?: number
  /** The request is for a file that an earlier response named. */
  readonly isOther?: boolean
}

function placesOf({ create, get, cancel, find, video, model, id }: RemoteVideoFacts): VendorRoute[] {
  const filled = (line: string): string => line.replaceAll('{model}', model).replaceAll('{id}', id)
  const creates = typeof create === 'string' ? [create] : create
  const places: VendorRoute[] = [
    ...creates.map((path): VendorRoute => ({ for: 'create', line: `POST ${path}` })),
    ...get.map((line, nth): VendorRoute => ({ for: 'get', line, nth, isOther: nth > 0 && !line.includes('{id}') })),
    ...(cancel ? [{ for: 'cancel', line: cancel.path } as const] : []),
    ...(find ? [{ for: 'find', line: find.path } as const] : []),
    ...(video.startsWith('/') ? [{ for: 'video', line: `GET ${video}` } as const] : []),
  ]
  return places.map((place) => ({ ...place, line: filled(place.line) }))
}

/** Tells if a request matches an endpoint, ignoring other query parameters. */
function isLine({ method, path, query }: Received, line: string): boolean {
  const [due, place = ''] = line.split(/ (.*)/s)
  const { pathname, searchParams } = new URL(place, 'http://upstream')
  return (
    method === due &&
    decodeURIComponent(path) === decodeURIComponent(pathname) &&
    [...searchParams].every(([name, value]) => query.get(name) === value)
  )
}

function hasId({ path, query, raw }: Received, id: string): boolean {
  return [decodeURIComponent(path), ...query.values(), raw].some((one) => one.includes(id))
}

/** Response with the upstream's origin. */
export function replyOf(answer: VideoAnswer, origin: string): UpstreamReply {
  const [status, body = {}, headers] = isWhole(answer) ? answer : ([200, answer] as const)
  const text = (typeof body === 'string' ? body : JSON.stringify(body)).replaceAll('{origin}', origin)
  return {
    kind: 'whole',
    status,
    body: typeof body === 'string' ? text : Object(parse(text)),
    ...(headers && { headers }),
  }
}

function isWhole(answer: VideoAnswer): answer is Exclude<VideoAnswer, Record<string, unknown>> {
  return Array.isArray(answer)
}

/** Requests to wrong endpoints, for a message. */
export function strayFindings(vendor: VideoVendor, due: readonly string[], advice: string): string[] {
  return vendor.strays.map(
    (stray) => `The adapter sent ${stray}; the vendor serves ${show(due.join(', '))}: fix ${advice}.`,
  )
}

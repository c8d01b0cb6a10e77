import { HeadgateError } from '@headgate/gateway/ports'
import type { Device } from '../sign-in/device.ts'
import type { Cookies } from './cookies.ts'
import type { Answer, RouteData } from './route.ts'

/** What a route answers, as a response. */
export function responseOf(route: RouteData, answer: Answer, cookies: Cookies, now: number, device?: Device): Response {
  const { body, version, session, flow, isSignedOut, stream, response } = answer
  if (response) return response
  const headers = new Headers()
  if (version !== undefined) headers.set('etag', JSON.stringify(String(version)))
  if (session) headers.append('set-cookie', cookies.session(session, now))
  else if (isSignedOut) headers.append('set-cookie', cookies.endSession())
  if (device) headers.append('set-cookie', cookies.device(device, now))
  if (flow) headers.append('set-cookie', cookies.flow(flow, now))
  else if (flow === null) headers.append('set-cookie', cookies.endFlow())
  if (stream) {
    headers.set('content-type', stream.type)
    if (stream.name !== undefined) headers.set('content-disposition', `attachment; filename="${stream.name}"`)
    // What comes bit by bit is not held back by proxies.
    else headers.set('x-accel-buffering', 'no')
    return new Response(streamOf(stream.texts), { headers })
  }
  if (body === undefined) return new Response(null, { status: route.status ?? 204, headers })
  headers.set('content-type', 'application/json')
  return new Response(JSON.stringify(body), { status: route.status ?? 200, headers })
}

/** Texts as they are taken: what nobody reads is not made. */
function streamOf(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = texts[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/**
 * The version that `If-Match` names. @throws HeadgateError 412 for what can be none, `invalid-request` where there are
 * no versions.
 */
export function matchOf({ isVersioned }: RouteData, request: Request): string | undefined {
  const header = request.headers.get('if-match')
  if (header === null) return undefined
  if (!isVersioned)
    throw new HeadgateError('invalid-request', 'This has no versions: leave `If-Match` out.', { param: 'If-Match' })
  if (header.trim() === '*') return undefined
  const version = /^"([\x21\x23-\x7e]{1,300})"$/.exec(header.trim())?.[1]
  if (version !== undefined) return version
  throw new HeadgateError('conflict', '`If-Match` is no version that this has had. Read it again.', {
    param: 'If-Match',
    status: 412,
  })
}

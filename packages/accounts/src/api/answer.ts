import { HeadgateError } from '@headgate/gateway/ports'
import type { Device } from '../sign-in/device.ts'
import type { Cookies } from './cookies.ts'
import type { RouteData, RouteResponse } from './route.ts'

/** HTTP response for the result of a route. */
export function responseOf(
  route: RouteData,
  answer: RouteResponse,
  cookies: Cookies,
  now: number,
  device?: Device,
): Response {
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
    // Proxies must not buffer a live stream.
    else headers.set('x-accel-buffering', 'no')
    return new Response(streamOf(stream.texts), { headers })
  }
  if (body === undefined) return new Response(null, { status: route.status ?? 204, headers })
  headers.set('content-type', 'application/json')
  return new Response(JSON.stringify(body), { status: route.status ?? 200, headers })
}

/** Stream that produces its strings on demand. */
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
 * Version in `If-Match`. @throws HeadgateError 412 for an invalid version, `invalid-request` for a route without
 * versions.
 */
export function matchOf({ isVersioned }: RouteData, request: Request): string | undefined {
  const header = request.headers.get('if-match')
  if (header === null) return undefined
  if (!isVersioned)
    throw new HeadgateError('invalid-request', 'This resource has no versions. Omit `If-Match`.', { param: 'If-Match' })
  if (header.trim() === '*') return undefined
  const version = /^"([\x21\x23-\x7e]{1,300})"$/.exec(header.trim())?.[1]
  if (version !== undefined) return version
  throw new HeadgateError('conflict', '`If-Match` is not a version of this resource. Read the resource again.', {
    param: 'If-Match',
    status: 412,
  })
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A callback as it arrived. */
export interface Called {
  readonly headers: Headers
  readonly body: string
}

/** Somebody who wants to be called back, for the length of one test. */
export async function startReceiver(): Promise<{ readonly url: string; readonly called: readonly Called[] }> {
  const called: Called[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    called.push({
      headers: new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body,
    })
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/done`, called }
}

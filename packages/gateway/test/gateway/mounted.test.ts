import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'
import { chatProvider, KEY, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const MESSAGE =
  'The body of this request was read before the gateway received it, for example by a body parser such as express.json(). Mount the gateway before the parser, or exclude its paths from the parser.'
const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** A server of the developer's around a gateway, with what that warned of. */
async function around(serve: (gateway: Gateway) => RequestListener, options: Partial<GatewayOptions> = {}) {
  const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
  const { gateway, warnings, access } = await startGateway('node', {
    providers: [chatProvider(upstream.url)],
    ...options,
  })
  const server = createServer(serve(gateway))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (path: string) => fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(chatRequest) })
  return { ask, warnings, access, upstream }
}

/** What Express and Connect do to a request under a mounted path. */
function mount(path: string, request: IncomingMessage): void {
  const { url = '/' } = request
  Object.assign(request, { originalUrl: url, url: url.startsWith(path) ? url.slice(path.length) || '/' : url })
}

describe('A gateway within a server', () => {
  it('says to the developer, caller and log, that a parser has taken the body', async () => {
    const { ask, warnings, access, upstream } = await around((gateway) => async (request, response) => {
      Object.assign(request, { body: JSON.parse(await text(request)) })
      gateway.node(request, response)
    })
    const answer = await ask(CHAT)
    expect([answer.status, await answer.json()]).toMatchObject([
      500,
      { error: { type: 'server_error', message: MESSAGE } },
    ])
    expect(warnings).toEqual([expect.stringContaining(MESSAGE)])
    expect(await access.next()).toMatchObject({ status: 500, error: { kind: 'internal' } })
    expect(upstream.calls).toHaveLength(0)
  })

  it('says so of a Request whose body was read, too', async () => {
    const upstream = await startUpstream()
    const { gateway } = await startGateway('fetch', { providers: [chatProvider(upstream.url)] })
    const request = new Request(`http://gateway.test${CHAT}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(chatRequest),
    })
    await request.json()
    const answer = await gateway.fetch(request)
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { message: MESSAGE } }])
  })

  it.each(['/ai', '/app/ai'])('serves under %s, though what mounts it cuts the path', async (basePath) => {
    const { ask, access } = await around(
      (gateway) => (request, response) => {
        mount(basePath, request)
        gateway.node(request, response)
      },
      { basePath },
    )
    expect((await ask(`${basePath}${CHAT}`)).status).toBe(200)
    expect(await access.next()).toMatchObject({ path: `${basePath}${CHAT}` })
  })

  it('serves what is left of the path where it was given no base path', async () => {
    const { ask } = await around((gateway) => (request, response) => {
      mount('/ai', request)
      gateway.node(request, response)
    })
    expect((await ask(`/ai${CHAT}`)).status).toBe(200)
  })
})

describe('createGateway', () => {
  const wrong = (options: unknown) => () => createGateway(options as GatewayOptions)

  it.each([
    [undefined, 'createGateway has no `providers`. Pass a list of providers'],
    [{}, 'createGateway has no `providers`. Pass a list of providers'],
    [{ providers: {} }, 'createGateway has no `providers`'],
    [{ providers: [() => undefined] }, 'providers[0] is an adapter that was not called'],
    [{ providers: [chatProvider('http://127.0.0.1:1'), undefined] }, 'providers[1] is undefined'],
    [
      { providers: [{ name: 'a', provider: () => undefined }] },
      'providers[0] has a `provider` that is an adapter that was not called',
    ],
    [{ providers: [{ apiKey: 'x' }] }, 'providers[0] is not a provider'],
    [{ providers: [], basePath: 'ai' }, 'basePath "ai" must begin with a slash'],
    [{ providers: [], basePath: '/ai/' }, 'basePath "/ai/" must begin with a slash and not end with one'],
  ])('says what is missing or wrong in %j', (options, message) => {
    expect(wrong(options)).toThrow(TypeError)
    expect(wrong(options)).toThrow(message)
  })
})

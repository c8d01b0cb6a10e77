import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { createGateway } from '@headgate/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Settings } from '../src/config/settings.ts'
import { createListener } from '../src/service/listener.ts'
import { processLimits } from '../src/service/serving.ts'

/** A server that answers 200 to all that its gateway does not refuse. */
async function startListener(
  config: Pick<Settings['config'], 'times' | 'limits'> = {},
  onFull?: (limit: number) => void,
) {
  const gateway = createGateway({
    providers: [],
    authenticate: (key) => (key === 'sk-local' ? { id: 'me' } : undefined),
  })
  const server = createListener({
    config: { ...config, limits: processLimits(config.limits, 1) },
    handler: gateway.node,
    clientError: gateway.clientError,
    ...(onFull && { onFull }),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await gateway.close()
  })
  return (server.address() as AddressInfo).port
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function all(socket: Socket): Promise<string> {
  let text = ''
  for await (const piece of socket) text += String(piece)
  return text
}

describe('A connection', () => {
  it.each([
    ['nothing', ''],
    ['half a head', 'POST /v1/messages HTTP/1.1\r\nhost: x\r\n'],
  ])('that sends %s in time is told so and closed', async (_, bytes) => {
    const socket = await connected(await startListener({ times: { header: 60 } }))
    socket.write(bytes)
    const text = await all(socket)
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(text).toMatch(/\r\nx-request-id: req_[0-9a-f]{32}\r\n/)
    expect(text).toContain('"message":"The request did not arrive in time."')
  })

  it('of which a request names two hosts is told so', async () => {
    const socket = await connected(await startListener())
    socket.write(
      'GET /v1/models HTTP/1.1\r\nhost: a\r\nHost: b\r\nauthorization: Bearer sk-local\r\nconnection: close\r\n\r\n',
    )
    expect(await all(socket)).toMatch(/^HTTP\/1\.1 400[\s\S]*more than one `Host`/)
  })

  it('with a body that does not end is closed, though nobody reads it', async () => {
    const port = await startListener({ times: { header: 60, upload: 1 } })
    const socket = await connected(port)
    socket.write(
      'GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-local\r\ncontent-length: 100000\r\n\r\nx',
    )
    expect(await all(socket)).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close/)
  })

  it('is refused beyond the limit; those that lie idle make room', async () => {
    const full: number[] = []
    const port = await startListener({ limits: { connections: 2 } }, (limit) => full.push(limit))
    const idle = await connected(port)
    idle.write('GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-local\r\n\r\n')
    await once(idle, 'data')
    const busy = await connected(port)
    busy.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\n')
    const left = once(idle.resume(), 'close')
    await once((await connected(port)).resume(), 'close')
    await left
    expect(full).toEqual([2])
    const next = await connected(port)
    next.write('GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-local\r\nconnection: close\r\n\r\n')
    expect(await all(next)).toContain('HTTP/1.1 200')
    expect(busy.destroyed).toBe(false)
  })

  it('has no credential where it sends two', async () => {
    const socket = await connected(await startListener())
    socket.write(
      'GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-local\r\nauthorization: Bearer sk-other\r\nconnection: close\r\n\r\n',
    )
    expect(await all(socket)).toContain('HTTP/1.1 401')
  })
})

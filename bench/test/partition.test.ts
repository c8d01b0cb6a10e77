import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Link, startLink } from '../fleet/partition.ts'

/** Server that answers each message with `re:` and the message, and what it has received. */
async function startEcho(): Promise<{ port: number; received: string[] }> {
  const received: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received.push(chunk.toString())
      socket.write(`re:${chunk}`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, received }
}

async function open(): Promise<{ port: number; link: Link; received: string[]; client: Socket; replies: string[] }> {
  const { port, received } = await startEcho()
  const link = await startLink(port)
  const client = connect(link.port, '127.0.0.1')
  client.on('error', () => {})
  onTestFinished(async () => {
    client.destroy()
    await link.close()
  })
  const replies: string[] = []
  client.on('data', (chunk) => void replies.push(chunk.toString()))
  client.write('a')
  await expect.poll(() => replies).toEqual(['re:a'])
  return { port, link, received, client, replies }
}

describe('A link between a node and a server', () => {
  it('drops both directions, and delivers all when it heals', async () => {
    const { port, link, received, client, replies } = await open()
    link.set('drop')
    await new Promise((resolve) => client.write('b', resolve))
    // Another connection has gone to the server and back by then.
    const other = connect(port, '127.0.0.1')
    onTestFinished(() => void other.destroy())
    other.write('x')
    await once(other, 'data')
    expect(received).toEqual(['a', 'x'])
    link.set('open')
    await expect.poll(() => replies.join()).toBe('re:a,re:b')
  })

  it('drops one direction: the server receives, the client does not', async () => {
    const { link, received, client, replies } = await open()
    link.set('one-way')
    client.write('b')
    await expect.poll(() => received).toEqual(['a', 'b'])
    expect(replies).toEqual(['re:a'])
    link.set('open')
    await expect.poll(() => replies.join()).toBe('re:a,re:b')
  })

  it('resets open connections and new ones until it heals', async () => {
    const { link, client } = await open()
    link.set('reset')
    await new Promise((resolve) => client.once('close', resolve))
    const refused = connect(link.port, '127.0.0.1')
    const [error] = await once(refused, 'error')
    expect(error.code).toBe('ECONNRESET')
    link.set('open')
    const next = connect(link.port, '127.0.0.1')
    onTestFinished(() => void next.destroy())
    next.write('c')
    expect(String(await once(next, 'data'))).toBe('re:c')
  })

  it('delays both directions', async () => {
    const { link, client, replies } = await open()
    link.delay(40)
    const start = performance.now()
    client.write('b')
    await expect.poll(() => replies.length, { interval: 5 }).toBe(2)
    // Timers may fire up to a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(78)
  })
})

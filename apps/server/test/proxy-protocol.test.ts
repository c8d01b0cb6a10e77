import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { clientAddress } from '@headgate/gateway/ports'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createListener } from '../src/service/listener.ts'
import { readProxyHeader } from '../src/service/proxy-protocol.ts'
import { processLimits } from '../src/service/serving.ts'

/** The load balancer. Tests connect from other addresses of the loopback interface as from strangers. */
const BALANCER = '127.0.0.1'
const STRANGER = '127.0.0.2'

/** A listener that answers with the address of the caller, or `unknown`. */
async function startEcho(trusted: readonly string[] = [BALANCER]) {
  const refused: string[] = []
  const server = createListener({
    config: { limits: processLimits({}, 1) },
    handler: ({ socket, headers }, response) => {
      response.end(`${clientAddress(socket.remoteAddress, headers, trusted) ?? 'unknown'} ${socket.remotePort}`)
    },
    clientError: (_, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'),
    proxyProtocol: [BALANCER],
    onProxyRefused: (address) => refused.push(address),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, refused }
}

const get = (headers = ''): string => `GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`

/** Everything that a server sends until it closes the connection. */
async function exchange(port: number, from: string, bytes: Buffer | string): Promise<string> {
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: from })
  onTestFinished(() => void socket.destroy())
  socket.write(bytes)
  let text = ''
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
  })
  // A refused connection can be reset.
  socket.on('error', () => {})
  await once(socket, 'close')
  return text
}

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

/** A header of version 2 with these addresses. `length`: the announced one, if it is a lie. */
function second(command: number, family: number, addresses: readonly number[], length = addresses.length): Buffer {
  return Buffer.concat([SIGNATURE, Buffer.from([command, family, length >> 8, length & 255, ...addresses])])
}

const IPV4 = [192, 0, 2, 7, 198, 51, 100, 1, 0x12, 0x34, 0x01, 0xbb]
const IPV6 = [0x20, 0x01, 0x0d, 0xb8, ...Array.from({ length: 11 }, () => 0), 7]
const followed = (header: Buffer, text = get()): Buffer => Buffer.concat([header, Buffer.from(text)])

describe('A load balancer with the PROXY protocol', () => {
  it.each([
    ['version 1', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 4660 443\r\n'), '192.0.2.7 4660'],
    ['version 1 with IPv6', Buffer.from('PROXY TCP6 2001:DB8::7 2001:db8::1 4660 443\r\n'), '2001:db8::7 4660'],
    ['version 2', second(0x21, 0x11, IPV4), '192.0.2.7 4660'],
    ['version 2 with IPv6', second(0x21, 0x21, [...IPV6, ...IPV6, 0x12, 0x34, 1, 0xbb]), '2001:db8:0:0:0:0:0:7 4660'],
    ['version 2 with more fields', second(0x21, 0x11, [...IPV4, 4, 0, 2, 1, 1]), '192.0.2.7 4660'],
  ])('names the caller in %s, whole and byte by byte', async (_, header, expected) => {
    const { port } = await startEcho()
    expect(await exchange(port, BALANCER, followed(header))).toMatch(new RegExp(`^HTTP/1.1 200[\\s\\S]*${expected}`))
    for (let length = 1; length < header.length; length += 1)
      expect(readProxyHeader(header.subarray(0, length))).toBe('more')
    expect(readProxyHeader(followed(header))).toMatchObject({ length: header.length })
  })

  it.each([
    ['version 1', Buffer.from('PROXY UNKNOWN\r\n')],
    ['version 1 with addresses', Buffer.from('PROXY UNKNOWN 192.0.2.7 192.0.2.8 1 2\r\n')],
    ['version 2', second(0x20, 0x11, IPV4)],
    ['version 2 without a family', second(0x21, 0x00, [])],
  ])('can check the health itself, in %s', async (_, header) => {
    const { port } = await startEcho()
    expect(await exchange(port, BALANCER, followed(header))).toContain('127.0.0.1')
  })

  it('can reuse its connection, and send the request in pieces', async () => {
    const { port } = await startEcho()
    const socket = connect({ port, host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    socket.write('PROXY TCP4 192.0.2.7 ')
    await once(socket, 'connect')
    socket.write('198.51.100.1 1 2\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(String(await once(socket, 'data'))).toContain('192.0.2.7')
    socket.write(get())
    expect(String(await once(socket, 'data'))).toContain('192.0.2.7')
  })

  it('is disconnected if it does not send its header', async () => {
    const { port, refused } = await startEcho()
    expect(await exchange(port, BALANCER, get())).toBe('')
    expect(refused).toEqual([BALANCER])
  })
})

const LISTED_ONLY = `${STRANGER} `
/** Forged headers of strangers, who connect directly. Each gets its own address, or no answer. */
const OF_STRANGERS: readonly (readonly [string, Buffer | string, string])[] = [
  ['PROXY v1', `PROXY TCP4 10.0.0.1 198.51.100.1 1 2\r\n${get()}`, '400'],
  ['PROXY v1 for IPv6', `PROXY TCP6 ::1 ::1 1 2\r\n${get()}`, '400'],
  ['PROXY v1 UNKNOWN', `PROXY UNKNOWN\r\n${get()}`, '400'],
  ['PROXY v2', followed(second(0x21, 0x11, IPV4)), '400'],
  ['PROXY v2 LOCAL', followed(second(0x20, 0x00, [])), '400'],
  ['PROXY v1 after a request', `${get('x-a: b\r\n')}PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n`, LISTED_ONLY],
  ...[
    'X-Forwarded-For: 10.0.0.1',
    'X-Forwarded-For: 127.0.0.1',
    'x-forwarded-for: ::1',
    'X-FORWARDED-FOR: 10.0.0.1, 127.0.0.1',
    'X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-For: 127.0.0.1',
    'Forwarded: for=10.0.0.1',
    'Forwarded: for="[::1]:80";by=127.0.0.1',
    'Forwarded: For=127.0.0.1;proto=https',
    'X-Real-IP: 10.0.0.1',
    'CF-Connecting-IP: 10.0.0.1',
    'True-Client-IP: 10.0.0.1',
    'X-Client-IP: 10.0.0.1',
    'X-Cluster-Client-IP: 10.0.0.1',
    'Fastly-Client-IP: 10.0.0.1',
    'Via: 1.1 127.0.0.1',
    'X-Forwarded-Host: 127.0.0.1\r\nX-Forwarded-Proto: https',
  ].map((line): readonly [string, string, string] => [line, get(`${line}\r\n`), LISTED_ONLY]),
]

const real = (headers = ''): Buffer => followed(second(0x21, 0x11, IPV4), get(headers))
/** Forged headers of callers, which a load balancer passes on after its own header. The header of the connection counts. */
const PASSED_ON: readonly (readonly [string, Buffer, string])[] = [
  'X-Forwarded-For: 10.0.0.1',
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-For: 127.0.0.1, 127.0.0.1',
  'Forwarded: for=10.0.0.1',
  'Forwarded: for=127.0.0.1',
  'X-Real-IP: 127.0.0.1',
].map((line) => [line, real(`${line}\r\n`), '192.0.2.7 4660'])

/** Invalid headers on connections of the load balancer: no answer. */
const INVALID: readonly (readonly [string, Buffer | string])[] = [
  ['a family that is not the address', 'PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n'],
  ['a host name', 'PROXY TCP4 localhost 198.51.100.1 1 2\r\n'],
  ['a port above 65535', 'PROXY TCP4 192.0.2.7 198.51.100.1 65536 2\r\n'],
  ['a port with a leading zero', 'PROXY TCP4 192.0.2.7 198.51.100.1 01 2\r\n'],
  ['an octal address', 'PROXY TCP4 0300.0.2.7 198.51.100.1 1 2\r\n'],
  ['two spaces', 'PROXY TCP4  192.0.2.7 198.51.100.1 1 2\r\n'],
  ['lower case', 'proxy TCP4 192.0.2.7 198.51.100.1 1 2\r\n'],
  ['UDP', 'PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n'],
  ['a line that does not end', `PROXY TCP4 ${'1'.repeat(200)}`],
  ['version 3', second(0x31, 0x11, IPV4)],
  ['a command that does not exist', second(0x22, 0x11, IPV4)],
  ['too few bytes for its addresses', second(0x21, 0x11, IPV4.slice(0, 8))],
  ['a length of 65,535 bytes', second(0x21, 0x11, IPV4, 65_535)],
  ['a datagram family', second(0x21, 0x12, IPV4)],
]

describe('Forged proxy headers', () => {
  it('are at least forty', () => {
    expect(OF_STRANGERS.length + PASSED_ON.length + INVALID.length).toBeGreaterThanOrEqual(40)
  })

  it.each(OF_STRANGERS)('of a stranger do not name the caller: %s', async (_, bytes, expected) => {
    const { port } = await startEcho()
    const answer = await exchange(port, STRANGER, bytes)
    expect(answer).toContain(expected)
    expect(answer).not.toContain('10.0.0.1')
  })

  it.each(PASSED_ON)('of a caller do not replace its address: %s', async (_, bytes, expected) => {
    const { port } = await startEcho()
    expect(await exchange(port, BALANCER, bytes)).toContain(expected)
  })

  it.each(INVALID)('that are invalid close the connection: %s', async (_, bytes) => {
    const { port, refused } = await startEcho()
    expect(await exchange(port, BALANCER, followed(Buffer.from(bytes)))).toBe('')
    expect(refused).toEqual([BALANCER])
  })
})

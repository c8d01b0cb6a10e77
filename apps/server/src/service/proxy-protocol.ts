import { isIP, type Server, type Socket } from 'node:net'
import { isWithin } from '@headgate/gateway/ports'

/** Address of a caller, as a load balancer reports it. */
export interface ProxiedAddress {
  readonly address: string
  readonly port: number
}

/**
 * Result of reading a header: its length in bytes, and the caller's address unless the connection is the load
 * balancer's own; `more` if bytes are missing; `invalid` if it is not a header.
 */
export type ProxyHeader = { readonly length: number; readonly from?: ProxiedAddress | undefined } | 'more' | 'invalid'

/** Functions that tell what a listener refuses. */
export interface ProxyProtocolOptions {
  /** Addresses and networks of the load balancers. */
  readonly networks: readonly string[]
  /** Time until the header has arrived, in milliseconds. Default: 5,000. */
  readonly limitMs?: number | undefined
  /** Called with the address of a load balancer whose header is invalid or late. */
  onRefused?(address: string): void
}

const LIMIT_MS = 5_000
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
/** Bytes of a header of version 2 before its addresses. */
const FIXED = 16
/** Maximum bytes of addresses and further fields in version 2. */
const MAX_FIELDS = 4_096
/** Maximum bytes of a header of version 1. */
const MAX_LINE = 107
/** Bytes of two addresses and two ports, by family and transport of version 2. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0x11, 12],
  [0x21, 36],
])
/** Families without an IP address: unspecified and Unix sockets. */
const UNNAMED: ReadonlySet<number> = new Set([0x00, 0x31])

/**
 * Reads the header of the PROXY protocol, version 1 or 2, at the beginning of a connection.
 * @see https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  const isSecond = bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE.subarray(0, bytes.length))
  if (bytes.length < SIGNATURE.length && isSecond) return 'more'
  return isSecond ? second(bytes) : first(bytes)
}

function first(bytes: Buffer): ProxyHeader {
  const start = bytes.toString('latin1', 0, MAX_LINE)
  const end = start.indexOf('\r\n')
  if (end < 0) return start.length < MAX_LINE && 'PROXY '.startsWith(start.slice(0, 6)) ? 'more' : 'invalid'
  const line = start.slice(0, end)
  const length = end + 2
  if (/^PROXY UNKNOWN(?: [\x20-\x7e]*)?$/.test(line)) return { length }
  const match = /^PROXY TCP([46]) ([\da-fA-F.:]+) ([\da-fA-F.:]+) (\d{1,5}) (\d{1,5})$/.exec(line)
  if (!match) return 'invalid'
  const [, family, source = '', target = '', from = '', to = ''] = match
  const isValid = isIP(source) === Number(family) && isIP(target) === Number(family) && isPort(from) && isPort(to)
  return isValid ? { length, from: { address: source.toLowerCase(), port: Number(from) } } : 'invalid'
}

function isPort(text: string): boolean {
  return Number(text) <= 65_535 && String(Number(text)) === text
}

function second(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED) return 'more'
  const [command = 0, family = 0] = bytes.subarray(SIGNATURE.length)
  const fields = bytes.readUInt16BE(FIXED - 2)
  const isKnown = UNNAMED.has(family) || LENGTHS.has(family)
  if ((command !== 0x20 && command !== 0x21) || fields > MAX_FIELDS || !isKnown) return 'invalid'
  const isLocal = command === 0x20 || UNNAMED.has(family)
  if (!isLocal && fields < (LENGTHS.get(family) ?? 0)) return 'invalid'
  const length = FIXED + fields
  if (bytes.length < length) return 'more'
  return isLocal ? { length } : { length, from: addressIn(bytes, family) }
}

function addressIn(bytes: Buffer, family: number): ProxiedAddress {
  if (family === 0x11)
    return { address: bytes.subarray(FIXED, FIXED + 4).join('.'), port: bytes.readUInt16BE(FIXED + 8) }
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(FIXED + 2 * index).toString(16))
  return { address: groups.join(':'), port: bytes.readUInt16BE(FIXED + 32) }
}

/**
 * Has a server read the header of the PROXY protocol on connections from listed load balancers. The addresses of their
 * sockets are then the caller's. Connections from other addresses are unchanged: a header on them is an invalid request.
 */
export function acceptProxyProtocol(server: Server, options: ProxyProtocolOptions): void {
  const { networks } = options
  const inner = server.listeners('connection')
  /** Addresses of callers by the load balancer's socket, for the socket of TLS above it. */
  const callers = new Map<string, ProxiedAddress>()
  const open = (socket: Socket): void => {
    for (const listener of inner) Reflect.apply(listener, server, [socket])
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!isWithin(networks, socket.remoteAddress ?? '')) return open(socket)
    const own = nameOf(socket)
    receive(socket, options, (from) => {
      if (from) {
        callers.set(own, from)
        socket.once('close', () => callers.delete(own))
        rename(socket, from)
      }
      open(socket)
    })
  })
  server.prependListener('secureConnection', (socket: Socket) => {
    const from = callers.get(nameOf(socket))
    if (from) rename(socket, from)
  })
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function rename(socket: Socket, { address, port }: ProxiedAddress): void {
  const family = isIP(address) === 6 ? 'IPv6' : 'IPv4'
  Object.defineProperties(socket, {
    remoteAddress: { value: address, configurable: true },
    remotePort: { value: port, configurable: true },
    remoteFamily: { value: family, configurable: true },
  })
}

/** Reads the header of a connection, and passes its address on. The rest of the bytes stays in the socket. */
function receive(
  socket: Socket,
  { limitMs = LIMIT_MS, onRefused }: ProxyProtocolOptions,
  done: (from: ProxiedAddress | undefined) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0)
  const refuse = (): void => {
    onRefused?.(socket.remoteAddress ?? '')
    socket.destroy()
  }
  const timer = setTimeout(refuse, limitMs)
  const ignore = (): void => void socket.destroy()
  const read = (): void => {
    const piece: unknown = socket.read()
    if (!Buffer.isBuffer(piece)) return
    bytes = Buffer.concat([bytes, piece])
    const header = readProxyHeader(bytes)
    if (header === 'more') return
    finish()
    if (header === 'invalid') refuse()
    else {
      if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length))
      done(header.from)
    }
  }
  const finish = (): void => {
    clearTimeout(timer)
    socket.off('readable', read)
    socket.off('error', ignore)
    socket.off('end', ignore)
    socket.off('close', finish)
  }
  socket.on('readable', read)
  socket.on('error', ignore)
  socket.on('end', ignore)
  socket.on('close', finish)
}

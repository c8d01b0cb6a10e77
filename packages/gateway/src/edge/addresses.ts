import { BlockList, isIP } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const PREFIX = /^(?:0|[1-9]\d{0,2})$/

interface Network {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  /** Bits that all its addresses share. */
  readonly prefix: number
}

/** An IPv4 address that a socket of both kinds has as IPv6 is meant as what it is. */
function plain(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address
}

function networkOf(text: string): Network | undefined {
  const [address = '', prefix, ...more] = text.split('/')
  const version = address.includes('%') || more.length > 0 ? 0 : isIP(address)
  // Addresses are compared as what they are, so that a network of mapped ones would have none.
  if (version === 0 || /^\[::ffff:/i.test(version === 6 ? new URL(`http://[${address}]`).host : '')) return undefined
  const most = version === 4 ? 32 : 128
  const bits = prefix === undefined ? most : PREFIX.test(prefix) ? Number(prefix) : Number.NaN
  return bits <= most ? { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix: bits } : undefined
}

/**
 * Whether a text is an IP address, or a network of them: `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`. An IPv4 address
 * within IPv6 is none.
 */
export function isNetwork(text: string): boolean {
  return networkOf(text) !== undefined
}

/** Networks of each kind: one list of both would take IPv4 addresses for those of `::/0`. */
type Lists = Readonly<Record<Network['family'], BlockList>>

/** What lists of networks stand for, for as long as they are there. */
const known = new WeakMap<readonly string[], Lists>()

function listsOf(networks: readonly string[]): Lists {
  const before = known.get(networks)
  if (before) return before
  const lists: Lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const text of networks) {
    const network = networkOf(text)
    if (!network) throw new TypeError(`${JSON.stringify(text)} is neither an IP address nor a network.`)
    lists[network.family].addSubnet(network.address, network.prefix, network.family)
  }
  known.set(networks, lists)
  return lists
}

/**
 * Whether an address, as a socket has it, is in one of the networks. @throws TypeError for what is none (`isNetwork`).
 */
export function isWithin(networks: readonly string[], address: string): boolean {
  const [bare = ''] = plain(address).split('%', 1)
  const version = isIP(bare)
  if (version === 0) return false
  const family = version === 6 ? 'ipv6' : 'ipv4'
  return listsOf(networks)[family].check(bare, family)
}

import { BlockList, isIP } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const PREFIX = /^(?:0|[1-9]\d{0,2})$/

interface Network {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  /** Length of the prefix that all addresses of the network share, in bits. */
  readonly prefix: number
}

/** Converts an IPv4-mapped IPv6 address, as dual-stack sockets report it, to IPv4. */
function plain(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address
}

function networkOf(text: string): Network | undefined {
  const [address = '', prefix, ...more] = text.split('/')
  const version = address.includes('%') || more.length > 0 ? 0 : isIP(address)
  // Mapped addresses are compared as IPv4, so a network of mapped addresses would match nothing.
  if (version === 0 || /^\[::ffff:/i.test(version === 6 ? new URL(`http://[${address}]`).host : '')) return undefined
  const most = version === 4 ? 32 : 128
  const bits = prefix === undefined ? most : PREFIX.test(prefix) ? Number(prefix) : Number.NaN
  return bits <= most ? { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix: bits } : undefined
}

/**
 * True if a string is an IP address or a network: `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`. IPv4-mapped IPv6
 * networks are not accepted.
 *
 * @example
 * ```ts
 * isNetwork('10.0.0.0/8') // true
 * isNetwork('example.com') // false
 * ```
 */
export function isNetwork(text: string): boolean {
  return networkOf(text) !== undefined
}

/** Networks of each IP version, in separate lists: in a common list, `::/0` would include all IPv4 addresses. */
type Lists = Readonly<Record<Network['family'], BlockList>>

/** Parsed networks of each list. */
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
 * True if an address, as a socket reports it, is in one of the networks.
 *
 * @throws TypeError if an entry of `networks` is not valid (see {@link isNetwork})
 * @example
 * ```ts
 * isWithin(['10.0.0.0/8'], '::ffff:10.1.2.3') // true
 * ```
 */
export function isWithin(networks: readonly string[], address: string): boolean {
  const [bare = ''] = plain(address).split('%', 1)
  const version = isIP(bare)
  if (version === 0) return false
  const family = version === 6 ? 'ipv6' : 'ipv4'
  return listsOf(networks)[family].check(bare, family)
}

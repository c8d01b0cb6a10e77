import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * IPv4 addresses that are not public: this host, private, shared (CGNAT), link-local (with the metadata services of
 * clouds), special, documentation, benchmarks, multicast, reserved; and the address of Azure's host services.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const PRIVATE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * Globally routed IPv6 addresses. Loopback, link-local, unique local and multicast addresses are outside this range.
 */
const GLOBAL_V6 = ['2000::/3']

/**
 * Addresses within the global range that are not public: protocol assignments (including Teredo) and documentation.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20']

/** IPv6 ranges that embed an IPv4 address, and the position of the address in 16-bit groups. */
const EMBEDDED_V4 = [
  // IPv4-mapped.
  { range: listOf(['::ffff:0:0/96'], 'ipv6'), at: 6 },
  // NAT64.
  { range: listOf(['64:ff9b::/96'], 'ipv6'), at: 6 },
  // 6to4.
  { range: listOf(['2002::/16'], 'ipv6'), at: 1 },
]

const privateV4 = listOf(PRIVATE_V4, 'ipv4')
const globalV6 = listOf(GLOBAL_V6, 'ipv6')
const specialV6 = listOf(SPECIAL_V6, 'ipv6')

function listOf(ranges: readonly string[], type: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), type)
  }
  return list
}

/** True if an IP address is on the public internet. Invalid addresses and addresses with a zone are not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !privateV4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  const embedded = EMBEDDED_V4.find(({ range }) => range.check(address, 'ipv6'))
  if (embedded) return isPublicAddress(addressAt(groupsOf(address), embedded.at))
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

function addressAt(groups: readonly number[], at: number): string {
  const [high = 0, low = 0] = groups.slice(at, at + 2)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Groups of an IPv6 address, eight numbers. URLs are serialized without a dotted IPv4 part. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

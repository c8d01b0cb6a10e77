import { isIP } from 'node:net'

/**
 * Network by which failures of an address are counted: an IPv4 address, or the first 64 bits of an IPv6 address, which
 * belong to one customer.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1)
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped && isIP(mapped) === 4) return mapped
  if (isIP(bare) !== 6) return bare
  const groups = groupsOf(bare)
  // Covers IPv4 addresses in hexadecimal notation.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return ipv4(groups[6] ?? 0, groups[7] ?? 0)
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const left = numbers(head)
  const right = numbers(tail ?? '')
  return tail === undefined
    ? left
    : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}

function numbers(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function ipv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

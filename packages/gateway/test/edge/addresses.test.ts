import { describe, expect, it } from 'vitest'
import { isNetwork, isWithin } from '../../src/edge/addresses.ts'

describe('A network', () => {
  it.each([
    ...['192.0.2.7', '192.0.2.0/24', '0.0.0.0/0', '10.1.2.3/8', '255.255.255.255/32'],
    ...['2001:db8::/32', '::1', '::/0', 'fe80::1/128', '64:ff9b::192.0.2.1'],
  ])('is %s', (text) => {
    expect(isNetwork(text)).toBe(true)
  })

  it.each([
    ...[
      '',
      '192.0.2',
      '192.0.2.256',
      '192.0.2.0/33',
      '192.0.2.0/',
      '192.0.2.0/08',
      '192.0.2.0/-1',
      '192.0.2.0/24/24',
      '010.0.0.1',
    ],
    ...[
      '2001:db8::/129',
      '[::1]',
      'fe80::1%eth0',
      '::ffff:192.0.2.1',
      '::ffff:c000:201/120',
      'example.com',
      ' 10.0.0.1',
      '10.0.0.1 ',
    ],
  ])('is not %j', (text) => {
    expect(isNetwork(text)).toBe(false)
  })

  it.each<[string, string, boolean]>([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.0/24', '::ffff:192.0.2.9', true],
    ['192.0.2.0/24', '::ffff:192.0.3.9', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['10.1.2.3/8', '10.255.0.1', true],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.1', false],
    ['::/0', '::ffff:203.0.113.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['::1', '::1', true],
  ])('%s has %s: %s', (network, address, isIn) => {
    expect(isWithin([network], address)).toBe(isIn)
    expect(isWithin(['198.51.100.0/24', network], address)).toBe(isIn)
  })
})

import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../src/http/address.ts'

const PRIVATE = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'link-local, where clouds keep their metadata': ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0'],
  'shared by a carrier’s customers': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'special to a cloud': ['192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved or broadcast': ['240.0.0.1', '255.255.255.255', 'fec0::1', '4000::1', '::10.0.0.1'],
  'for benchmarks or documentation': [
    '198.18.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff::1',
  ],
  'unique local': ['fc00::1', 'fd12:3456::1'],
  'an IPv6 form of a private one': [
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:a00:1::1',
    '2002:7f00:1:ffff:ffff:ffff:ffff:ffff',
  ],
  'a tunnel': ['2001:0:4136:e378::1'],
  'no address at all': ['', 'localhost', '1.2.3', '1.2.3.4.5', '::g'],
}

const PUBLIC = [
  '1.1.1.1',
  '100.63.255.255',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:1.1.1.1',
  '64:ff9b::1.1.1.1',
  '2002:101:101::1',
]

describe('An address is not public when it is', () => {
  it.each(Object.entries(PRIVATE))('%s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })
})

describe('An address is public', () => {
  it('where everybody can reach it, in whatever form', () => {
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})

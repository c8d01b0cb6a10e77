import { describe, expect, it } from 'vitest'
import { clientAddress } from '../../src/edge/client-address.ts'

const TRUSTED = ['127.0.0.1', '10.0.0.0/8', '2001:db8:aa::/48']
const far = (hops: number) => Array.from({ length: hops }, () => '10.0.0.1').join(', ')

describe('the address of a caller', () => {
  it.each([
    [
      'of a socket that is not listed, whatever its headers say',
      '192.0.2.1',
      { 'x-forwarded-for': '203.0.113.7' },
      '192.0.2.1',
    ],
    ['of a listed socket without headers', '127.0.0.1', {}, '127.0.0.1'],
    ['of a listed socket in IPv6 spelling', '::ffff:127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7'],
    [
      'rightmost that is not listed',
      '10.0.0.1',
      { 'x-forwarded-for': '1.1.1.1, 203.0.113.7, 10.2.3.4' },
      '203.0.113.7',
    ],
    ['leftmost if all are listed', '10.0.0.1', { 'x-forwarded-for': '10.0.0.9,10.2.3.4' }, '10.0.0.9'],
    ['with a port', '10.0.0.1', { 'x-forwarded-for': '203.0.113.7:4711' }, '203.0.113.7'],
    ['of IPv6 with a port', '10.0.0.1', { 'x-forwarded-for': '[2001:DB8::1]:4711' }, '2001:db8::1'],
    ['of IPv6 bare', '10.0.0.1', { 'x-forwarded-for': '2001:db8::1, 2001:db8:aa::5' }, '2001:db8::1'],
    ['of several headers', '10.0.0.1', { 'x-forwarded-for': ['1.1.1.1', '203.0.113.7'] }, '203.0.113.7'],
    [
      'of Forwarded',
      '10.0.0.1',
      { forwarded: 'for=1.1.1.1, For="203.0.113.7:80";proto=https;by=10.0.0.1' },
      '203.0.113.7',
    ],
    ['of Forwarded in IPv6', '10.0.0.1', { forwarded: 'proto=http; for="[2001:db8::1]:4711"' }, '2001:db8::1'],
    [
      'of Forwarded with a quoted comma',
      '10.0.0.1',
      { forwarded: 'for=203.0.113.7;x="a,\\",for=1.1.1.1"' },
      '203.0.113.7',
    ],
    [
      'of both headers that agree',
      '10.0.0.1',
      { forwarded: 'for=203.0.113.7', 'x-forwarded-for': '203.0.113.7' },
      '203.0.113.7',
    ],
    [
      'unknown if they contradict',
      '10.0.0.1',
      { forwarded: 'for=10.0.0.5', 'x-forwarded-for': '203.0.113.7' },
      undefined,
    ],
    ['unknown if hidden', '10.0.0.1', { forwarded: 'for=_hidden' }, undefined],
    ['unknown if the rightmost is no address', '10.0.0.1', { 'x-forwarded-for': '203.0.113.7, unknown' }, undefined],
    ['unknown with a zone', '10.0.0.1', { 'x-forwarded-for': 'fe80::1%eth0' }, undefined],
    ['unknown of an empty entry', '10.0.0.1', { 'x-forwarded-for': '203.0.113.7,' }, undefined],
    ['unknown without for', '10.0.0.1', { forwarded: 'proto=https' }, undefined],
    ['unknown behind too many proxies', '10.0.0.1', { 'x-forwarded-for': `203.0.113.7, ${far(40)}` }, undefined],
    ['behind as many as are read', '10.0.0.1', { 'x-forwarded-for': `203.0.113.7, ${far(31)}` }, '203.0.113.7'],
    [
      'unknown of a header that is too long',
      '10.0.0.1',
      { 'x-forwarded-for': `${'x'.repeat(1e5)}, 203.0.113.7` },
      undefined,
    ],
    ['unknown of many commas', '10.0.0.1', { 'x-forwarded-for': `1${','.repeat(1e6)}` }, undefined],
    ['unknown of open quotes', '10.0.0.1', { forwarded: `for="${'\\'.repeat(4_000)}` }, undefined],
  ] as const)('is that %s', (_, socket, headers, address) => {
    expect(clientAddress(socket, headers, TRUSTED)).toBe(address)
  })

  it('is that of the socket where no proxy is listed', () => {
    expect(clientAddress('127.0.0.1', { 'x-forwarded-for': '203.0.113.7' })).toBe('127.0.0.1')
    expect(clientAddress(undefined, {}, TRUSTED)).toBeUndefined()
  })
})

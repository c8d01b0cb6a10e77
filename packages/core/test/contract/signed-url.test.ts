import { expiryOf } from '@headgate/core/provider'
import { describe, expect, test } from 'vitest'

describe('expiryOf', () => {
  test.each([
    [
      'https://a.example/v.mp4?X-Tos-Algorithm=A&X-Tos-Date=20260131T235959Z&X-Tos-Expires=86400&X-Tos-Signature=s',
      '2026-02-01T23:59:59Z',
    ],
    ['https://a.example/v.mp4?x-oss-expires=60&x-oss-date=20260131T000000Z', '2026-01-31T00:01:00Z'],
    ['https://a.example/v.mp4?Expires=1769817600&OSSAccessKeyId=k&Signature=s', '2026-01-31T00:00:00Z'],
  ])('%s', (url, until) => expect(expiryOf(url)).toBe(Date.parse(until)))

  test.each([
    'https://a.example/v.mp4',
    'https://a.example/v.mp4?X-Tos-Date=20260131T000000Z',
    'https://a.example/v.mp4?X-Tos-Date=today&X-Tos-Expires=86400',
    'https://a.example/v.mp4?Expires=soon',
    'v.mp4?Expires=1769817600',
  ])('%s says nothing', (url) => expect(expiryOf(url)).toBeUndefined())
})

import { pixelsOf } from '@headgate/core/provider'
import { describe, expect, test } from 'vitest'

describe('pixelsOf', () => {
  test.each([
    ['480p', '16:9', [864, 496]],
    ['720p', '9:16', [720, 1280]],
    ['720p', '21:9', [1470, 630]],
    ['1080p', '1:1', [1440, 1440]],
    ['4k', '4:3', [3328, 2496]],
  ])('%s at %s', (resolution, ratio, pixels) => expect(pixelsOf(resolution, ratio)).toEqual(pixels))

  test.each([
    ['720p', 'adaptive'],
    ['720p', '9:21'],
    ['540p', '16:9'],
    ['constructor', '16:9'],
  ])('%s at %s has none', (resolution, ratio) => expect(pixelsOf(resolution, ratio)).toBeUndefined())
})

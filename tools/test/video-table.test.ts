import { describe, expect, it } from 'vitest'
import type { ProviderInstance } from '../../packages/core/src/contract/provider.ts'
import { videoRows } from '../docs/video.ts'

const exchange = {
  request: () => ({ method: 'GET' as const, url: '/' }),
  response: () => ({ id: '1', status: 'running' as const }),
}

describe('the table of videos', () => {
  it('has a row for models that can do the same, and says what is not known', () => {
    const films: Pick<ProviderInstance, 'name' | 'video' | 'known'> = {
      name: 'films',
      known: [
        { id: 'a', families: ['video'], price: { id: 'films@2026-01-01', input: 0, output: 0, units: { seconds: 1 } } },
        {
          id: 'b',
          families: ['images', 'video'],
          // Images are no unit of videos.
          price: { id: 'films@2026-01-01', input: 0, output: 0, units: { seconds: 2, images: 3 } },
        },
        { id: 'c', families: ['video'] },
        { id: 'd', families: ['chat'] },
      ],
      video: {
        create: exchange,
        get: exchange,
        capabilities: (model) =>
          model === 'c'
            ? {}
            : {
                text: true,
                frames: 'first-and-last',
                images: 3,
                videos: 0,
                audios: 0,
                durations: { min: 4, max: 12 },
                ownDuration: true,
                ratios: ['16:9'],
                resolutions: [],
                seed: false,
                audio: 'always',
              },
      },
    }
    expect(videoRows(films)).toEqual([
      [
        '`films`',
        '`a`, `b`',
        'yes',
        'yes',
        'with a first frame',
        '3 images',
        '4 to 12, chosen by the model',
        '16:9',
        '–',
        '–',
        'always',
        '–',
        '–',
        'seconds',
      ],
      ['', '`c`', '?', '?', '?', '?', '?', '?', '?', '?', '?', '–', '–', '?'],
    ])
  })

  it('has one row of a provider that knows no model, and none of one without videos', () => {
    const [row, ...others] = videoRows({ name: 'films', video: { create: exchange, get: exchange } })
    expect([row?.slice(0, 3), others]).toEqual([['`films`', 'any named model', '?'], []])
    expect(videoRows({ name: 'chat' })).toEqual([])
  })
})

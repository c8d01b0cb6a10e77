import type { Loss } from '@headgate/core/canonical'
import type { ImagesAbilities } from '@headgate/core/contract'
import { describe, expect, it } from 'vitest'
import { gptImageAbilities, gptImageTokens } from '../../../core/src/provider.ts'
import { EventPieces } from '../../src/edge/event-pieces.ts'
import { fitSettings, isWithin } from '../../src/families/images/fit.ts'
import { readGenerations } from '../../src/families/images/input.ts'

function fitted(fields: object, can: ImagesAbilities) {
  const losses: Loss[] = []
  const { more: _, ...settings } = fitSettings(readGenerations({ prompt: 'x', ...fields }), can, 'brush-1', losses)
  return { ...settings, lost: losses.map(({ path, kind }) => `${path}:${kind}`) }
}

const LIST: ImagesAbilities = { sizes: ['1024x1024', '1536x1024', '1024x1536'] }
const RULE = { multiple: 16, pixels: [655_360, 8_294_400], ratio: 3, side: 3_840 } as const
const SHAPES: ImagesAbilities = { ratios: ['1:1', '3:2', '2:3', '16:9'], resolutions: { '1K': 1_024, '2K': 2_048 } }

describe('The size of an image', () => {
  it.each([
    [{ size: '1536x1024' }, LIST, { size: { width: 1_536, height: 1_024 }, lost: [] }],
    [{ size: 'auto' }, LIST, { lost: [] }],
    [{}, LIST, { lost: [] }],
    [{ size: '1920x1080' }, LIST, { size: { width: 1_536, height: 1_024 }, lost: ['size:changed'] }],
    [{ size: '2000x2000' }, LIST, { size: { width: 1_024, height: 1_024 }, lost: ['size:changed'] }],
    [{ aspect_ratio: '2:3' }, LIST, { size: { width: 1_024, height: 1_536 }, lost: [] }],
    [{ size: '2048x2048' }, SHAPES, { ratio: '1:1', resolution: '2K', lost: [] }],
    [{ size: '1536x1024' }, SHAPES, { ratio: '3:2', resolution: '2K', lost: ['size:changed'] }],
    [{ size: '1000x1001' }, SHAPES, { ratio: '1:1', resolution: '1K', lost: ['size:changed'] }],
    [{ aspect_ratio: '21:9' }, SHAPES, { ratio: '16:9', lost: ['aspect_ratio:changed'] }],
    [{ size: '2K', aspect_ratio: '16:9' }, SHAPES, { ratio: '16:9', resolution: '2K', lost: [] }],
    [{ resolution: '4K' }, SHAPES, { resolution: '2K', lost: ['resolution:changed'] }],
    [{ size: '777x333' }, { sizes: 'any' }, { size: { width: 777, height: 333 }, lost: [] }],
    [{ size: '777x333' }, {}, { lost: ['size:dropped'] }],
    [{ seed: 0 }, { seed: true }, { seed: 0, lost: [] }],
    [{ style: 'vivid' }, { more: ['style'] }, { lost: ['style:dropped'] }],
    [{ style: 'anime' }, { more: ['style'] }, { lost: [] }],
    [{ output_compression: 0 }, { compression: true }, { compression: 0, lost: [] }],
    [
      { output_compression: 0, seed: 0, user: 'u' },
      {},
      { lost: ['output_compression:dropped', 'seed:dropped', 'user:dropped'] },
    ],
  ] as const)('of %j with %j is the nearest, and is declared if it differs', (fields, can, due) => {
    expect(fitted(fields, can as ImagesAbilities)).toEqual(due)
  })

  it('is within the rule of a model, for any request', () => {
    for (const width of [16, 333, 1_024, 3_839, 9_999])
      for (const height of [16, 500, 1_024, 2_160, 9_999]) {
        const { size } = fitted({ size: `${width}x${height}` }, { sizes: RULE })
        expect([`${width}x${height}`, size && isWithin(size, RULE)]).toEqual([`${width}x${height}`, true])
      }
  })

  it('stays if a rule allows it', () => {
    expect(fitted({ size: '3840x2160' }, { sizes: RULE })).toEqual({ size: { width: 3_840, height: 2_160 }, lost: [] })
  })
})

/** Values from https://community.openai.com/t/1382699, whose 1024x1024 agrees with OpenAI's page. */
describe('The tokens of gpt-image-2', () => {
  it.each([
    ['low', '1024x1024', 196],
    ['low', '1536x1024', 158],
    ['low', '2048x2048', 397],
    ['low', '3840x2160', 371],
    ['medium', '1024x1024', 1_756],
    ['medium', '1536x1024', 1_372],
    ['medium', '2048x2048', 3_568],
    ['medium', '3840x2160', 3_336],
    ['high', '1024x1024', 7_024],
    ['high', '1536x1024', 5_488],
    ['high', '2048x2048', 14_272],
    ['high', '3840x2160', 13_342],
    ['low', '2880x2880', 659],
    ['medium', '2880x2880', 5_930],
    ['high', '2880x2880', 23_719],
  ])('for %s at %s are %i', (quality, size, tokens) => {
    const [width = 0, height = 0] = size.split('x').map(Number)
    expect(gptImageTokens({ width, height }, quality)).toBe(tokens)
    expect(gptImageTokens({ width: height, height: width }, quality)).toBe(tokens)
  })

  it('are the most without a size and a quality, and unknown without a public factor', () => {
    let most = 0
    for (let width = 16; width <= 3_840; width += 16)
      for (let height = 16; height <= 3_840; height += 16)
        if (isWithin({ width, height }, RULE)) most = Math.max(most, gptImageTokens({ width, height }, 'high') ?? 0)
    expect(gptImageTokens(undefined, undefined)).toBe(most)
    expect(gptImageTokens({ width: 1_024, height: 1_024 }, 'xhigh')).toBeUndefined()
    expect(gptImageAbilities('gpt-image-2.6-sunburst').outputTokens).toBeUndefined()
    expect(gptImageAbilities('gpt-image-2').outputTokens).toBeDefined()
  })
})

describe('A stream of events', () => {
  const whole = Buffer.from(
    `event: a\ndata: {"type":"a"}\n\n: ping\n\ndata: {"type":"b","b64_json":"${'A'.repeat(200_000)}"}\r\n\r\ndata: {"type":"c"}`,
  )

  it.each([1, 2, 3, 7, 1_000, 65_536, 300_000])('divided after each %i bytes has the same bytes and events', (step) => {
    const relay = new EventPieces()
    const pieces = []
    for (let at = 0; at < whole.length; at += step) pieces.push(...relay.push(whole.subarray(at, at + step)))
    const last = relay.end()
    if (last) pieces.push(last)
    expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(whole)).toBe(true)
    expect(pieces.flatMap(({ event }) => (event ? [event['type']] : []))).toEqual(['a', 'b', 'c'])
  })
})

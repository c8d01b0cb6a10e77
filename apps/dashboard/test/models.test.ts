import { describe, expect, it } from 'vitest'
import type { ModelItem } from '../web/api/models.ts'
import { failureShare, isWanted, rowOf } from '../web/pages/models/facts.ts'
import { draftOf, ratesOf } from '../web/pages/models/price-draft.ts'
import { linesOf } from '../web/pages/models/price-table.tsx'
import { comparedOf } from '../web/pages/models/search.ts'

const MODEL: ModelItem = {
  id: 'gpt-5.4-mini',
  providers: [
    {
      provider: 'openai',
      model: 'gpt-5.4-mini',
      families: ['chat'],
      formats: ['chat-completions'],
      context: 400_000,
      inputs: ['text', 'image'],
      tools: true,
      price: { id: 'p1', input: 750_000_000, output: 4_500_000_000 },
      observed: { since: 0, requests: 100, failures: 3, firstByteMs: { p50: 320, p95: 900 } },
    },
    {
      provider: 'azure',
      model: 'mini-eu',
      context: 128_000,
      price: { id: 'p2', input: 700_000_000, output: 4_600_000_000 },
    },
  ],
}

describe('A model of the list', () => {
  it('has the best of what those who serve it say, and says what nobody knows', () => {
    expect(rowOf(MODEL)).toMatchObject({
      providers: ['openai', 'azure'],
      input: 700_000_000,
      output: 4_500_000_000,
      cached: undefined,
      context: 400_000,
      takes: ['image'],
      tools: true,
      reasoning: undefined,
      requests: 100,
      failures: 3,
      firstByte: 320,
    })
    expect(rowOf({ id: 'new', providers: [{ provider: 'own', model: 'new', price: null }] })).toMatchObject({
      input: undefined,
      context: undefined,
      takes: undefined,
      tools: undefined,
      firstByte: undefined,
    })
  })

  it('is found by what it takes, can and costs; what is not known does not fit', () => {
    const [row, unknown] = [
      rowOf(MODEL),
      rowOf({ id: 'new', providers: [{ provider: 'own', model: 'new', price: null }] }),
    ]
    const fits = (filters: Parameters<typeof isWanted>[1]) => [isWanted(row, filters), isWanted(unknown, filters)]
    expect(fits({})).toEqual([true, true])
    expect(fits({ find: 'MINI azure' })).toEqual([true, false])
    expect(fits({ takes: 'image' })).toEqual([true, false])
    expect(fits({ takes: 'pdf' })).toEqual([false, false])
    expect(fits({ can: 'tools', fits: 400_000 })).toEqual([true, false])
    expect(fits({ below: 70 })).toEqual([true, false])
    expect(fits({ below: 69 })).toEqual([false, false])
    expect(fits({ provider: 'own' })).toEqual([false, true])
  })

  it('has a share of failures once there are enough requests', () => {
    expect([failureShare({ requests: 19, failures: 3 }), failureShare({ requests: 20, failures: 5 })]).toEqual([
      undefined,
      0.25,
    ])
  })

  it('is compared with three others at most, each once', () => {
    expect(comparedOf('a,b,a,c,d,e')).toEqual(['a', 'b', 'c', 'd'])
    expect(comparedOf(undefined)).toEqual([])
  })
})

describe('A price', () => {
  it('is told line by line, with tiers, long requests and units', () => {
    const price = {
      id: 'p',
      input: 1,
      output: 2,
      cacheRead: 0,
      units: { searches: 5_000_000 },
      variants: { '2K': { images: 5 } },
      least: { images: 3 },
      minimum: 7,
      long: { above: 200_000, input: 3, output: 4 },
      tiers: { flex: { factor: 0.5 }, priority: { input: 8, output: 9 } },
    }
    expect(
      linesOf(price).map(
        ({ title, nanos, per }) => `${title} ${nanos}${per.startsWith('per million') ? '' : ` ${per}`}`,
      ),
    ).toEqual([
      ...['Input 1', 'Output 2', 'Cache reads 0'],
      ...['Input, above 200,000 input tokens 3', 'Output, above 200,000 input tokens 4'],
      ...['Input, priority 8', 'Output, priority 9', 'searches 5 each', 'images, 2K 5', 'Minimum 7 per request'],
    ])
  })

  const WHOLE = {
    input: 250_000_000,
    output: 2_000_000_000,
    cacheWriteLong: 1,
    audioCached: 2,
    imageOutput: 3,
    long: { above: 200_000, input: 3, output: 4, cacheRead: 5 },
    units: { seconds: 7, characters: 8 },
    variants: { 'high:1024x1024': { images: 10_000_000_000_000_000, pixels: 3 }, '2K': { images: 9 } },
    least: { seconds: 10 },
    tiers: { flex: { factor: 0.5 }, priority: { input: 8, output: 9, long: { above: 1, input: 1, output: 1 } } },
    minimum: 6,
  }

  it('is typed in dollars, and nothing of it is lost by editing it: units, tiers, long requests and the minimum', () => {
    expect(ratesOf(draftOf(WHOLE))).toEqual({ rates: WHOLE })
    const typed = { ...draftOf(undefined), rates: { input: '0.25', output: '2', cacheRead: ' ' } }
    expect(ratesOf(typed)).toEqual({ rates: { input: 250_000_000, output: 2_000_000_000 } })
    expect(ratesOf({ ...typed, units: [{ name: 'images', variant: '', amount: '40000' }] })).toEqual({
      rates: { input: 250_000_000, output: 2_000_000_000, units: { images: 40_000_000_000_000 } },
    })
  })

  it('that is not valid says all that is wrong, at its field', () => {
    const draft = {
      ...draftOf(undefined),
      rates: { input: 'cheap' },
      above: 'many',
      units: [
        { name: '', variant: '', amount: '1' },
        { name: 'images', variant: '2K', amount: '' },
      ],
      least: [
        { name: 'seconds', count: 'ten' },
        { name: '', count: '10' },
      ],
      tiers: [{ name: 'flex', kind: 'factor' as const, factor: 'half', rates: {} }],
      minimum: '-1',
    }
    const read = ratesOf(draft)
    expect('problems' in read && Object.keys(read.problems).sort()).toEqual([
      ...[
        'above',
        'least.0.count',
        'least.1.name',
        'long.input',
        'long.output',
        'minimum',
        'rates.input',
        'rates.output',
        'tiers.0.factor',
      ],
      ...['units.0.name', 'units.1.amount'],
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { loadSettings } from '../src/config/settings.ts'
import { currentPrices } from '../src/service/options.ts'
import { temporaryFolder } from './temporary.ts'

async function pricesOf(prices: object) {
  const folder = temporaryFolder({ 'headgate.config.json': { prices } })
  const current = currentPrices(await loadSettings({}, { folder, environment: {} }), [])
  return Object.fromEntries(current.map(({ provider, model, price }) => [`${provider}/${model}`, price]))
}

describe('A price of the configuration', () => {
  it('is in US dollars, and in nano-dollars where it is applied', async () => {
    expect(await pricesOf({ 'mine/one': { input: 0.1, output: 0.4 } })).toEqual({
      'mine/one': { id: 'config', input: 100_000_000, output: 400_000_000 },
    })
  })

  it('may have a rate of its own for each kind of token, and other rates for long requests', async () => {
    const rates = {
      input: 1,
      output: 2,
      cacheRead: 0.1,
      cacheWrite: 1.25,
      cacheWriteLong: 2.5,
      audioInput: 3,
      audioOutput: 4,
    }
    const nano = Object.fromEntries(Object.entries(rates).map(([kind, dollars]) => [kind, dollars * 1e9]))
    const long = { above: 200_000, input: 2, output: 4, audioOutput: 8 }
    expect(await pricesOf({ 'mine/one': { ...rates, id: 'contract', long } })).toEqual({
      'mine/one': { id: 'contract', ...nano, long: { above: 200_000, input: 2e9, output: 4e9, audioOutput: 8e9 } },
    })
  })

  it('may have a factor or rates of its own for each tier of service, prices of units and a least amount', async () => {
    const tiers = {
      flex: { factor: 0.5 },
      priority: { input: 2, output: 4, imageInput: 3, long: { above: 10, input: 4, output: 8 } },
    }
    const price = {
      input: 1,
      output: 2,
      audioCached: 0.5,
      imageOutput: 30,
      units: { searches: 10_000 },
      minimum: 0.001,
      tiers,
    }
    expect(await pricesOf({ 'mine/one': price })).toEqual({
      'mine/one': {
        id: 'config',
        input: 1e9,
        output: 2e9,
        audioCached: 5e8,
        imageOutput: 30e9,
        units: { searches: 10_000_000_000_000 },
        minimum: 1_000_000,
        tiers: {
          flex: { factor: 0.5 },
          priority: { input: 2e9, output: 4e9, imageInput: 3e9, long: { above: 10, input: 4e9, output: 8e9 } },
        },
      },
    })
    await expect(pricesOf({ 'mine/one': { input: 1, output: 2, tiers: { flex: { factor: -1 } } } })).rejects.toThrow(
      'tiers.flex',
    )
  })

  it('is refused where its long requests have no bound or no rates', async () => {
    await expect(pricesOf({ 'mine/one': { input: 1, output: 2, long: { input: 2, output: 4 } } })).rejects.toThrow(
      'prices["mine/one"].long.above: is missing',
    )
    await expect(pricesOf({ 'mine/one': { input: 1, output: 2, long: { above: 10, input: 2 } } })).rejects.toThrow(
      'prices["mine/one"].long.output: is missing',
    )
    await expect(
      pricesOf({ 'mine/one': { input: 1, output: 2, long: { above: 10, input: 2, output: 4, id: 'x' } } }),
    ).rejects.toThrow('prices["mine/one"].long.id: unknown field')
  })
})

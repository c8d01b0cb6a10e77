import { describe, expect, it } from 'vitest'
import { bedrock } from '../src/index.ts'
import { modelsIn } from '../src/profiles.ts'

const SONNET = 'anthropic.claude-sonnet-5'
const PREFIXES = ['au', 'eu', 'global', 'jp', 'us']

function idsIn(region: string): string[] {
  const ids = [SONNET, ...PREFIXES.map((prefix) => `${prefix}.${SONNET}`), 'zai.glm-5']
  return modelsIn(
    region,
    ids.map((id) => ({ id })),
  ).map(({ id }) => id)
}

describe('The models of a region', () => {
  it.each([
    ['us-east-1', 'us'],
    ['ca-central-1', 'us'],
    ['eu-central-1', 'eu'],
    ['ap-northeast-1', 'jp'],
    ['ap-southeast-2', 'au'],
  ])('in %s are profiles of %s, models without profiles, and then global profiles', (region, prefix) => {
    expect(idsIn(region)).toEqual([`${prefix}.${SONNET}`, 'zai.glm-5', `global.${SONNET}`])
  })

  it.each([
    ['ap-south-1', ['zai.glm-5', `global.${SONNET}`]],
    ['us-gov-west-1', ['zai.glm-5']],
  ])('in %s are without profiles of other geographies', (region, expected) => {
    expect(idsIn(region)).toEqual(expected)
  })

  it('are known, with price and shared name', () => {
    const { known = [] } = bedrock({ region: 'eu-west-1', apiKey: 'key' })
    const [first] = known.filter(({ same }) => same === 'claude-sonnet-5')
    expect(first?.id).toBe(`eu.${SONNET}`)
    expect(first?.price?.input).toBe(2_200_000_000)
    expect(known.some(({ id }) => id === SONNET || id.startsWith('us.'))).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { aliasDefinition } from '../src/config/aliases.ts'

describe('The definition of an alias', () => {
  it('has models in order, and the policy with its place', () => {
    expect(aliasDefinition('small')).toEqual({
      targets: [{ model: 'small' }],
      policy: 'priority',
      policyFrom: 'default',
    })
    expect(aliasDefinition(['small', 'acme/large'], { policy: 'cheapest' })).toEqual({
      targets: [{ model: 'small' }, { model: 'acme/large' }],
      policy: 'cheapest',
      policyFrom: 'routing',
    })
  })

  it('has fallbacks, weights and bounds', () => {
    const fallback = { model: 'large', on: ['context-too-long' as const], weight: 2 }
    const alias = {
      targets: ['small', fallback],
      policy: 'fastest' as const,
      minContext: 1_000,
      labels: { zdr: true, region: ['eu', 'ch'] },
    }
    expect(aliasDefinition(alias, { policy: 'cheapest' })).toEqual({
      targets: [{ model: 'small' }, fallback],
      policy: 'fastest',
      policyFrom: 'alias',
      minContext: 1_000,
      labels: { zdr: [true], region: ['eu', 'ch'] },
    })
  })
})

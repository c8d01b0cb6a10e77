import type { HealthReport } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { endpointsOf, stateIn } from '../src/management/endpoints.ts'

const NOW = 1_000

describe('The endpoints of a provider', () => {
  const endpoints = [
    { name: 'eu', labels: { region: 'eu' }, group: 'team-a' },
    { name: 'us', group: 'team-a' },
    { name: 'asia' },
  ]

  it('are in the order of the configuration, with what is known about each', () => {
    const error = { kind: 'overloaded', at: 5 } as const
    const reports: HealthReport[] = [
      { provider: 'p', endpoint: 'asia', model: 'a', inFlight: 1, lastError: error },
      { provider: 'p', endpoint: 'asia', model: 'b', inFlight: 2 },
      { provider: 'p', endpoint: 'eu', model: 'a', restsUntil: 9_000, remaining: { requests: 2, resetAt: 2_000 } },
      { provider: 'p', endpoint: 'eu', model: 'b', limit: 8, remaining: { requests: 3, resetAt: 500 } },
    ]
    const asia = { state: 'failing', calls: 7, failed: 6 } as const
    const known = { state: 'degraded', calls: 7, failed: 6, endpoints: { asia } } as const
    const none = { state: 'unknown', calls: 0, failed: 0 }
    expect(endpointsOf(reports, { endpoints }, known, NOW)).toEqual([
      {
        name: 'eu',
        // A model in cooldown is not the whole endpoint.
        ...none,
        group: 'team-a',
        labels: { region: 'eu' },
        limits: [
          { model: 'a', requests: 2, resetAt: 2_000 },
          { model: 'b', concurrent: 8 },
        ],
      },
      { name: 'us', group: 'team-a', ...none },
      { name: 'asia', ...asia, lastError: error, inFlight: 3 },
    ])
  })

  it('have the cooldown of the whole endpoint, such as of its account', () => {
    const reports: HealthReport[] = ['eu', 'us'].map((endpoint) => ({ provider: 'p', endpoint, restsUntil: 9_000 }))
    expect(
      endpointsOf(reports, { endpoints }, undefined, NOW).map(({ name, restsUntil }) => [name, restsUntil]),
    ).toEqual([
      ['eu', 9_000],
      ['us', 9_000],
      ['asia', undefined],
    ])
  })

  it('are one without a name if none is configured', () => {
    const reports: HealthReport[] = [{ provider: 'p', restsUntil: 9_000 }]
    const known = { state: 'healthy', calls: 3, failed: 0, endpoints: {} } as const
    expect(endpointsOf(reports, {}, known, NOW)).toEqual([
      { state: 'cooldown', calls: 3, failed: 0, restsUntil: 9_000 },
    ])
  })

  it('stay failing in a cooldown, and are otherwise in cooldown', () => {
    const states = ['healthy', 'degraded', 'failing', 'unknown'] as const
    expect(states.map((state) => stateIn(state, true))).toEqual(['cooldown', 'cooldown', 'failing', 'cooldown'])
    expect(states.map((state) => stateIn(state, false))).toEqual(states)
  })
})

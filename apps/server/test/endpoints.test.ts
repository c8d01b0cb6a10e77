import type { HealthReport } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { endpointsOf } from '../src/management/endpoints.ts'

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
      { provider: 'p', endpoint: 'asia', model: 'a', inFlight: 1, recent: { calls: 3, failures: 1 }, lastError: error },
      { provider: 'p', endpoint: 'asia', model: 'b', inFlight: 2, recent: { calls: 4, failures: 0 } },
      { provider: 'p', endpoint: 'eu', model: 'a', restsUntil: 9_000, remaining: { requests: 2, resetAt: 2_000 } },
      { provider: 'p', endpoint: 'eu', model: 'b', limit: 8, remaining: { requests: 3, resetAt: 500 } },
    ]
    expect(endpointsOf(reports, { endpoints }, NOW)).toEqual([
      {
        name: 'eu',
        // A model in cooldown is not the whole endpoint.
        state: 'up',
        group: 'team-a',
        labels: { region: 'eu' },
        limits: [
          { model: 'a', requests: 2, resetAt: 2_000 },
          { model: 'b', concurrent: 8 },
        ],
      },
      { name: 'us', group: 'team-a', state: 'up' },
      { name: 'asia', state: 'up', lastError: error, recent: { calls: 7, failures: 1 }, inFlight: 3 },
    ])
  })

  it('have the cooldown of the whole endpoint, such as of its account', () => {
    const reports: HealthReport[] = ['eu', 'us'].map((endpoint) => ({ provider: 'p', endpoint, restsUntil: 9_000 }))
    expect(endpointsOf(reports, { endpoints }, NOW).map(({ name, restsUntil }) => [name, restsUntil])).toEqual([
      ['eu', 9_000],
      ['us', 9_000],
      ['asia', undefined],
    ])
  })

  it('are one without a name if none is configured', () => {
    const reports: HealthReport[] = [{ provider: 'p', restsUntil: 9_000 }]
    expect(endpointsOf(reports, {}, NOW)).toEqual([{ state: 'resting', restsUntil: 9_000 }])
  })
})

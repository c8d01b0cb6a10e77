import { expect, it } from 'vitest'
import { type OutcomeFacts, outcomeOf } from '../../src/ports.ts'

const SERVED: OutcomeFacts = { status: 200, why: 'served', attempts: [{}] }
const FAILED_CALL = { failure: 'overloaded' } as const

it.each<[ReturnType<typeof outcomeOf>, string, Partial<OutcomeFacts>]>([
  ['served', 'was served', {}],
  ['served', 'has no price', { why: 'price-unknown' }],
  ['served', 'came from a cache', { why: 'cached', attempts: [] }],
  ['served', 'was faster at another endpoint', { attempts: [{ failure: 'canceled' }, {}] }],
  ['failed-over', 'was served by the second call', { attempts: [FAILED_CALL, {}] }],
  ['cut', 'broke off after its start', { why: 'cut', failure: 'upstream', attempts: [FAILED_CALL] }],
  ['canceled', 'was left by its caller', { status: 499, why: 'canceled', failure: 'canceled' }],
  ['failed', 'no provider served', { status: 429, why: 'failed', failure: 'rate-limited', attempts: [FAILED_CALL] }],
  ['failed', 'was lost', { status: 0, why: 'lost' }],
])('The outcome is %s of a request that %s', (outcome, _, change) => {
  expect(outcomeOf({ ...SERVED, ...change })).toBe(outcome)
})

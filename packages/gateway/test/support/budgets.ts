import { expect } from 'vitest'
import { chatAnswer, chatChunk, chatRequest, DONE } from '../../../core/test/support/wire.ts'
import { type GatewayOptions, type MemoryBudgets, memoryBudgets } from '../../src/index.ts'
import type { MemoryBudget } from '../../src/operate.ts'
import { type RunningGateway, type SinkName, startGateway } from './gateway.ts'
import type { UpstreamCall } from './upstream.ts'

export const DOLLAR = 1_000_000_000n
/** A dollar for a thousand tokens of output: what a request may cost is known to the nano-dollar. */
export const PRICE = { id: 'list@today', input: 0, output: 1_000_000_000_000 }
/** $0.10 at {@link PRICE}. */
export const DIME = 100
export const SMALL = { id: 'small', price: PRICE, output: 4_000, families: ['chat'] }
export const dime = { ...chatRequest, max_tokens: DIME }

const usage = (output: number) => ({ prompt_tokens: 11, completion_tokens: output, total_tokens: 11 + output })

/** Answers with so many tokens, whole or as a stream. */
export function spending(output = DIME): (call: UpstreamCall) => unknown {
  return (call) =>
    call.json()['stream']
      ? call.stream([
          chatChunk({ content: 'Hi' }),
          chatChunk({}, {}, 'stop'),
          chatChunk({}, { choices: [], usage: usage(output) }),
          DONE,
        ])
      : call.answer(200, chatAnswer('Hi', { usage: usage(output) }))
}

export interface BoundedGateway extends RunningGateway {
  readonly budgets: MemoryBudgets
  /** What is spent and held of the only budget, in cents. */
  cents(): { spent: number; held: number }
}

/** A gateway whose usual key has a budget of so many dollars for ever. */
export async function startBounded(
  sink: SinkName,
  dollars: number,
  {
    budget,
    ...options
  }: Partial<GatewayOptions> & Pick<GatewayOptions, 'providers'> & { budget?: Partial<MemoryBudget> },
): Promise<BoundedGateway> {
  const limit = BigInt(Math.round(dollars * 100)) * (DOLLAR / 100n)
  const budgets = memoryBudgets({ budgets: [{ owner: 'key-1', name: 'team', limit, period: 'forever', ...budget }] })
  const cents = (nanos = 0n): number => Number(nanos) / 10_000_000
  return {
    ...(await startGateway(sink, { budgets, ...options })),
    budgets,
    cents() {
      const [state] = budgets.state()
      return { spent: cents(state?.spent), held: cents(state?.held) }
    },
  }
}

/** What says that money is spent, or only tied up. */
export function verdict({ status, headers }: Response): readonly [number, string | null, string | null] {
  return [status, headers.get('x-should-retry'), headers.get('retry-after')]
}
export const SPENT = [429, 'false', null] as const
export const TIED_UP = [429, null, '1'] as const

/** What the ledger, the budget and the upstream say is the same. */
export function expectAgreed({ rows, cents }: Pick<BoundedGateway, 'rows' | 'cents'>, counted: number): void {
  const charged = rows.reduce((sum, row) => sum + (row.charged ?? Number.NaN), 0)
  const cost = rows.reduce((sum, row) => sum + (row.cost ?? Number.NaN), 0)
  expect([charged / 10_000_000, cost / 10_000_000, cents()]).toEqual([counted, counted, { spent: counted, held: 0 }])
}

import type { UsageRow } from '@headgate/gateway'
import { uuidv7 } from '@headgate/gateway/ports'

/** A row of a request that was served. */
export function usageRow(change: Partial<UsageRow> = {}): UsageRow {
  return {
    id: uuidv7(),
    requestId: 'req_1',
    principal: 'key_1',
    family: 'chat',
    format: 'messages',
    model: 'fast',
    provider: 'mine',
    providerModel: 'model-1',
    stream: false,
    translated: true,
    status: 200,
    usage: { input: 10, output: 20 },
    cost: 1_500,
    charged: 1_500,
    priceId: 'list@2026-01-01',
    billed: true,
    why: 'served',
    finish: 'stop',
    losses: [],
    startedAt: 1_700_000_000_000,
    firstByteMs: 12,
    durationMs: 34,
    attempts: [
      {
        provider: 'mine',
        model: 'model-1',
        startedAt: 1_700_000_000_000,
        durationMs: 30,
        status: 200,
        cost: 1_500,
        priceId: 'list@2026-01-01',
      },
    ],
    ...change,
  }
}

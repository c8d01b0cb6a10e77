import type { AttemptRow, UsageRow } from '@headgate/gateway/ports'

/** Start of the requests in these tests, Unix time in milliseconds. */
export const BEGUN = 1_795_000_000_000

/** Attempt of a test. */
export function attempt(given: Partial<AttemptRow> = {}): AttemptRow {
  return {
    provider: 'acme',
    model: 'large-1',
    startedAt: BEGUN + 10,
    durationMs: 500,
    status: 200,
    cost: 1_500,
    priceId: 'list@2026-11-01',
    ...given,
  }
}

/** Usage row of a test. */
export function usageRow(given: Partial<UsageRow> = {}): UsageRow {
  return {
    id: '01985ff0-1234-7abc-8def-0123456789ab',
    requestId: 'req-1',
    principal: 'key-1',
    family: 'chat',
    format: 'messages',
    model: 'large',
    provider: 'acme',
    providerModel: 'large-1',
    stream: false,
    translated: true,
    status: 200,
    usage: { input: 100, output: 20, cacheRead: 40, cacheWrite: 10, reasoning: 5 },
    cost: 1_500,
    charged: 1_500,
    priceId: 'list@2026-11-01',
    billed: true,
    why: 'served',
    finish: 'stop',
    losses: [],
    startedAt: BEGUN,
    durationMs: 600,
    attempts: [attempt()],
    trace: { route: 'POST /v1/messages' },
    ...given,
  }
}

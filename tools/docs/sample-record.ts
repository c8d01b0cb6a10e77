import type { AccessRecord } from '../../packages/core/src/contract/ports.ts'

/** A request that was served, for the documents. */
export const SAMPLE_RECORD: AccessRecord = {
  requestId: 'req_0123456789abcdef0123456789abcdef',
  method: 'POST',
  path: '/v1/messages',
  status: 200,
  durationMs: 812,
  principal: 'key_bT0I6rR2Qr',
  usage: {
    requestId: 'req_0123456789abcdef0123456789abcdef',
    principal: 'key_bT0I6rR2Qr',
    family: 'chat',
    format: 'messages',
    model: 'gpt-4.1',
    provider: 'openai',
    providerModel: 'gpt-4.1-2025-04-14',
    stream: true,
    translated: true,
    status: 200,
    usage: { input: 1200, output: 80, cacheRead: 1024, cacheWrite: 1, reasoning: 1, audioInput: 1, audioOutput: 1, units: { searches: 1 } },
    cost: 1_504_000,
    priceId: 'models.dev@2026-11-01',
    billed: true,
    why: 'served',
    finish: 'stop',
    losses: [],
    startedAt: Date.UTC(2026, 10, 21),
    firstByteMs: 312,
    durationMs: 811,
    attempts: [{ provider: 'openai', model: 'gpt-4.1', startedAt: Date.UTC(2026, 10, 21), durationMs: 809, status: 200 }],
  },
}

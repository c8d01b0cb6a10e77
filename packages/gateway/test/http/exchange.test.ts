import { describe, expect, it, onTestFinished } from 'vitest'
import type { Exchange } from '../../../core/src/contract/exchange.ts'
import { HeadgateError } from '../../../core/src/errors.ts'
import { NO_CALL, runExchange } from '../../src/http/exchange.ts'
import { createLeases } from '../../src/http/leases.ts'
import type { UpstreamAccess } from '../../src/http/send.ts'
import { createUpstreams } from '../../src/http/upstream.ts'
import { startUpstream } from '../support/upstream.ts'

function open(): UpstreamAccess {
  const upstreams = createUpstreams({ connect: 5_000, firstByte: 5_000, silence: 5_000 })
  onTestFinished(() => upstreams.destroy())
  return { upstreams, leases: createLeases(upstreams) }
}

async function answered(status: number, exchange: Exchange<string, unknown>): Promise<unknown> {
  const upstream = await startUpstream((call) => call.answer(status, { detail: 'It is over.' }))
  return runExchange(open(), { baseUrl: upstream.origin, credential: { kind: 'none' } }, exchange, '/tasks/1', {
    limit: 1_000_000,
    signal: AbortSignal.timeout(10_000),
    call: NO_CALL,
    check({ status: got }) {
      if (got >= 400) throw new HeadgateError('invalid-request', `It answered with ${got}.`)
    },
  })
}

const exchange: Exchange<string, unknown> = {
  request: (url) => ({ method: 'GET', url }),
  response: ({ status, body }) => ({ status, body }),
}

describe('An exchange', () => {
  it('reads the failures that are answers of its own, and no others', async () => {
    const reading = { ...exchange, reads: ({ status }: { status: number }) => status === 422 }
    await expect(answered(422, reading)).resolves.toEqual({ status: 422, body: { detail: 'It is over.' } })
    await expect(answered(429, reading)).rejects.toThrow('It answered with 429.')
    await expect(answered(422, exchange)).rejects.toThrow('It answered with 422.')
  })
})

import { describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/index.ts'
import { startGateway } from '../support/gateway.ts'
import { RESPONSES, responsesAnswer, responsesProvider } from '../support/responses.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const THOUGHT = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA-of-another-account' }
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{}' }
const RESULT = { type: 'function_call_output', call_id: 'call_1', output: 'sunny' }
const QUESTION = { role: 'user', content: 'Hello' }
const body = { model: 'small', store: false, input: [QUESTION, THOUGHT, CALL, RESULT] }

/** Accepts no encrypted reasoning, as a vendor does whose other account encrypted it. */
function account(call: UpstreamCall): void {
  if (!call.body.includes('encrypted_content')) {
    call.answer(200, responsesAnswer())
    return
  }
  const message = 'The encrypted content gAAA... could not be verified.'
  call.answer(400, {
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_encrypted_content' },
  })
}

async function start(handler: (call: UpstreamCall) => void, options: Partial<GatewayOptions> = {}) {
  const upstream = await startUpstream(handler)
  const gateway = await startGateway('node', { providers: [responsesProvider(upstream.url)], ...options })
  return { ...gateway, upstream }
}

describe('Encrypted reasoning that another account issued', () => {
  it('is left out of a second call, which is a loss', async () => {
    const { post, upstream, rows } = await start(account)
    const response = await post(RESPONSES, body)
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, 'input[*]'])
    expect(await response.json()).toMatchObject({ status: 'completed' })
    const { id: _, ...call } = CALL
    const [, second] = upstream.calls
    expect(second?.json()['input']).toMatchObject([{ role: 'user' }, call, RESULT])
    expect(JSON.stringify(second?.json())).not.toMatch(/"(rs|fc)_1"/)
    expect(rows).toMatchObject([{ status: 200, attempts: [{ status: 400 }, { status: 200 }] }])
  })

  it('ends the request if the caller forbids losses', async () => {
    const { post, upstream } = await start(account)
    const response = await post(RESPONSES, body, { headers: { 'headgate-strict': 'true' } })
    expect([response.status, upstream.calls.length]).toEqual([400, 1])
  })

  it('is called once more, and not again', async () => {
    const { post, upstream } = await start((call) =>
      call.answer(400, { error: { message: 'No.', code: 'invalid_encrypted_content' } }),
    )
    const response = await post(RESPONSES, body)
    expect([response.status, upstream.calls.length]).toEqual([400, 2])
  })

  it('changes nothing for a request without it', async () => {
    const { post, upstream } = await start((call) =>
      call.answer(400, { error: { message: 'No.', code: 'invalid_encrypted_content' } }),
    )
    const response = await post(RESPONSES, { ...body, input: [QUESTION] })
    expect([response.status, upstream.calls.length]).toEqual([400, 1])
  })
})

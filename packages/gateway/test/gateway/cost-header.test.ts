import { describe, expect, it } from 'vitest'
import { CHAT, chatRequest, MESSAGES, messagesAnswer, messagesRequest } from '../../../core/test/support/wire.ts'
import { MODEL, server, vendor } from '../support/embeddings.ts'
import { failing, good } from '../support/fleet.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const price = { id: 'list@today', input: 1_000_000, output: 2_000_000 }
const known = [{ id: 'small', price }]

describe('The header headgate-cost', () => {
  it('says what a whole answer counts for the caller, in dollars, as its row does', async () => {
    const upstream = await startUpstream(good)
    const { post, rows } = await startGateway('node', { providers: [chatProvider(upstream.url, { known })] })
    const answers = [await post(CHAT, chatRequest), await post(MESSAGES, messagesRequest)]
    // 11 tokens in, 7 out.
    expect(answers.map(({ headers }) => headers.get('headgate-cost'))).toEqual(['0.000000025', '0.000000025'])
    expect(rows.map(({ charged, translated }) => [charged, translated])).toEqual([
      [25, false],
      [25, true],
    ])
  })

  it('is of what was served, not of what failed before', async () => {
    const [bad, fine] = [
      await startUpstream(failing(500)),
      await startUpstream((call) => call.answer(200, messagesAnswer())),
    ]
    const providers = [
      chatProvider(bad.url, { known }),
      messagesProvider(fine.url, { name: 'beta', known: [{ id: 'small', price: { ...price, input: 3_000_000 } }] }),
    ]
    const { post } = await startGateway('node', { providers })
    expect((await post(CHAT, chatRequest)).headers.get('headgate-cost')).toBe('0.000000047')
  })

  it('is left out where nobody knows the price, on errors, on lists and on streams', async () => {
    const upstream = await startUpstream(good)
    const { post, call } = await startGateway('node', {
      providers: [chatProvider(upstream.url, { known: [{ id: 'small' }, { id: 'priced', price }] })],
    })
    const answers = [
      await post(CHAT, chatRequest),
      await post(CHAT, { ...chatRequest, model: 'priced', messages: 7 }),
      await post(CHAT, { ...chatRequest, model: 'priced', stream: true }),
      await call('/v1/models'),
    ]
    expect(answers.map(({ status, headers }) => [status, headers.get('headgate-cost')])).toEqual([
      [200, null],
      [400, null],
      [200, null],
      [200, null],
    ])
  })

  it('is on vectors', async () => {
    const upstream = await startUpstream(vendor)
    const { post, rows } = await startGateway('node', { providers: [server(upstream.url)] })
    const answer = await post('/v1/embeddings', { model: MODEL.id, input: ['a', 'b'] })
    expect([answer.headers.get('headgate-cost'), rows[0]?.charged]).toEqual(['0.00000012', 120])
  })
})

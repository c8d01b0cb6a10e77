import { describe, expect, it } from 'vitest'
import { families } from '../../src/families/index.ts'
import { createGatewayOf } from '../../src/gateway.ts'
import type { AccessRecord, UsageRow } from '../../src/index.ts'
import { chatProvider } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { shouting } from './shouting/index.ts'

const PRICE = { id: 'list@today', input: 0, output: 0, units: { characters: 2_000_000_000 } }

async function start() {
  const upstream = await startUpstream((call) => call.answer(200, { shout: String(call.json()['text']).toUpperCase() }))
  const rows: UsageRow[] = []
  const access = Promise.withResolvers<AccessRecord>()
  const gateway = createGatewayOf([...families, shouting], {
    providers: [
      chatProvider(upstream.url, {
        known: [
          { id: 'loud', price: PRICE, families: ['shouting'] },
          { id: 'small', families: ['chat'] },
        ],
        shouting: {
          request: ({ model, text }) => ({ method: 'POST', url: '/shout', body: { json: { model, text } } }),
          response: ({ body }) => body as { shout: string },
        },
      }),
    ],
    authenticate: (credential) => (credential === 'k' ? { id: 'key-1' } : undefined),
    ledger: { settle: (row) => void rows.push(row) },
    onAccess: (record) => access.resolve(record),
  })
  const ask = (path: string, body: unknown, key = 'k') =>
    gateway.fetch(
      new Request(`http://gateway.test${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${key}` },
      }),
    )
  return { gateway, rows, access: access.promise, ask }
}

describe('A family of a folder and two lines', () => {
  it('is served, priced by its unit and accounted for', async () => {
    const { ask, rows, access } = await start()
    const answer = await ask('/v1/shouts', { model: 'loud', text: 'hello' })
    expect([answer.status, await answer.json()]).toEqual([200, { shout: 'HELLO' }])
    expect(rows).toMatchObject([
      {
        family: 'shouting',
        format: 'shouts',
        usage: { units: { characters: 5 } },
        cost: 10_000,
        priceId: 'list@today',
        billed: true,
      },
    ])
    expect(rows[0]?.attempts).toMatchObject([{ provider: 'alpha', model: 'loud', status: 200 }])
    expect(await access).toMatchObject({ path: '/v1/shouts', usage: { family: 'shouting' } })
  })

  it('stands in the document, with its schema', async () => {
    const { gateway } = await start()
    expect(gateway.openapi()).toMatchObject({
      paths: { '/v1/shouts': { post: { operationId: 'shout' } } },
      components: { schemas: { shouting: { properties: { text: { type: 'string' } } } } },
    })
  })

  it('says what is wrong in a shape of its own: 400, 401, 404, 405', async () => {
    const { ask, gateway } = await start()
    const saying = async (answer: Promise<Response>) => [
      (await answer).status,
      Object.keys((await (await answer).json()) as object)[0],
    ]
    expect(await saying(ask('/v1/shouts', { model: 'loud' }))).toEqual([400, 'OUCH'])
    expect(await saying(ask('/v1/shouts', { model: 'loud', text: 'x' }, 'wrong'))).toEqual([401, 'OUCH'])
    expect(await saying(ask('/v1/shouts/1', {}))).toEqual([404, 'OUCH'])
    expect(await saying(gateway.fetch(new Request('http://gateway.test/v1/shouts')))).toEqual([405, 'OUCH'])
  })

  it('is kept apart from the others by what is known of models', async () => {
    const { ask } = await start()
    const quiet = await ask('/v1/shouts', { model: 'small', text: 'x' })
    expect([quiet.status, await quiet.json()]).toMatchObject([
      400,
      { OUCH: expect.stringContaining('SUPPORTS CHAT, NOT SHOUTING') },
    ])
    const talk = await ask('/v1/chat/completions', { model: 'loud', messages: [{ role: 'user', content: 'x' }] })
    expect([talk.status, await talk.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('supports shouting') } },
    ])
  })

  it('knows the most that a request can use', () => {
    const bytes = Buffer.from('{"model":"loud","text":"hello"}')
    expect(shouting.bound?.({ body: { bytes, json: {}, spans: new Map() } })).toEqual({
      input: 0,
      output: 0,
      units: { characters: bytes.length },
    })
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSignedIn } from './signed-in.ts'

const PROMPT = 'the secret plan of the caller'

/** An upstream that fails, and quotes the prompt. */
async function failingUpstream(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: `Not about ${PROMPT}.`, code: 'bad_topic' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

interface Item {
  readonly requestId: string
  readonly outcome: string
  readonly failure: string
  readonly model: string
  readonly keyName: string | null
}

interface Details extends Item {
  readonly message?: string
  readonly attempts: readonly { readonly code: string | null; readonly words?: string }[]
}

async function startProgram() {
  const baseUrl = await failingUpstream()
  const mine = { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['model-1'] }
  const program = await startSignedIn({ providers: { mine } })
  const { key } = await program.owner.read<{ key: string }>('/keys', { body: { name: 'web' } })
  const chat = (body: object, bearer = key) =>
    fetch(`${program.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...body }),
    })
  return { ...program, chat }
}

describe('Each request of a known caller', () => {
  it('has a record with its outcome and its sentence, which only its owner and readers of traces see', async () => {
    const { owner, chat, member, gateway } = await startProgram()
    const sentences: string[] = []
    for (const model of ['nobody-has-this', 'model-1']) {
      const response = await chat({ model })
      const { error } = (await response.json()) as { error: { message: string } }
      sentences.push(error.message)
    }
    const { items } = await owner.read<{ items: Item[] }>('/usage')
    expect(items.map(({ outcome, failure, model, keyName }) => [outcome, failure, model, keyName])).toEqual([
      ['failed', 'invalid-request', 'model-1', 'web'],
      ['refused', 'unknown-model', 'nobody-has-this', 'web'],
    ])
    const [failed, refused] = await Promise.all(
      items.map(({ requestId }) => owner.read<Details>(`/usage/${requestId}`)),
    )
    expect(refused).toMatchObject({ message: sentences[0], attempts: [] })
    expect(failed).toMatchObject({ message: sentences[1], attempts: [{ code: 'bad_topic' }] })
    expect(failed?.attempts[0]?.words).toContain(PROMPT)
    // Of what the vendor said there is nothing in lists, exports or the log, and nothing for others.
    const viewer = await member('viewer')
    const texts = [
      JSON.stringify(items),
      await (await owner.ask('/usage/export')).text(),
      await (await viewer.ask(`/usage/${items[0]?.requestId}`)).text(),
      gateway.output(),
    ]
    for (const text of texts) expect(text).not.toContain(PROMPT)
    expect(texts[2]).toContain('bad_topic')
    const { items: failures } = await owner.read<{ items: object[] }>(
      `/usage/failures?from=${Date.now() - 3_600_000}&to=${Date.now() + 1}&by=failure,key`,
    )
    expect(failures).toMatchObject([
      { failure: 'invalid-request', keyName: 'web', requests: 1, newest: items[0]?.requestId },
      { failure: 'unknown-model', keyName: 'web', requests: 1, newest: items[1]?.requestId },
    ])
  })

  it('is counted, however many are refused, and those of unknown callers by their address', async () => {
    const { owner, chat } = await startProgram()
    const begun = Date.now()
    for (let count = 0; count < 300; count += 50)
      await Promise.all(Array.from({ length: 50 }, () => chat({ model: 'nobody-has-this' })))
    await Promise.all(Array.from({ length: 7 }, () => chat({ model: 'model-1' }, 'sk-wrong')))
    const range = `from=${begun - 3_600_000}&to=${Date.now() + 1}`
    const { items } = await owner.read<{ items: object[] }>(`/usage/failures?${range}`)
    expect(items).toMatchObject([{ failure: 'unknown-model', requests: 300 }])
    const seconds = Math.ceil((Date.now() - begun) / 1_000) + 1
    const { items: rows } = await owner.read<{ items: object[] }>('/usage?outcome=refused&limit=1000')
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThanOrEqual(10 * seconds)
    const { items: addresses } = await owner.read<{ items: object[] }>('/refusals/unauthenticated')
    expect(addresses).toMatchObject([{ address: '127.0.0.1', reason: 'bad-key', requests: 7 }])
  })
})

import { describe, expect, it } from 'vitest'
import { createKeyInfo } from '../src/service/serving.ts'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

const use = { requests: 0, input: 0, output: 0, charged: '0', unpriced: 0 }
const used = { zone: 'UTC', today: use, month: use, all: use }

describe('GET /v1/key', () => {
  it('tells the holder of a key, stored or configured, what it is and has used, and nothing of the others', async () => {
    const { baseUrl } = await startUpstream()
    const folder = temporaryFolder({
      'headgate.config.json': {
        keys: [{ key: 'sk-local', name: 'laptop' }],
        providers: { mine: { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['model-1'] } },
        prices: { 'mine/model-1': { input: 1, output: 2 } },
      },
    })
    const gateway = await startInProcess({ folder })
    const made = Date.now()
    const stored = (await command(['keys', 'create', '--name', 'ci', '--models', 'model-*'], { folder })).stdout.trim()
    const asked = async (key: string) => {
      const answer = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
      return [answer.status, (await answer.json()) as Record<string, unknown>] as const
    }
    const chat = (key: string) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello.' }] }),
      })
    const answer = await chat(stored)
    expect([answer.status, answer.headers.get('headgate-cost')]).toEqual([200, '0.000013'])
    await answer.text()

    const spent = { requests: 1, input_tokens: 7, output_tokens: 3, dollars: '0.000013', unpriced: 0 }
    const [status, body] = await asked(stored)
    expect([status, body]).toEqual([
      200,
      {
        object: 'headgate.key',
        id: expect.stringMatching(/^key_/),
        name: 'ci',
        models: ['model-*'],
        search: [],
        scopes: [],
        families: ['*'],
        providers: ['*'],
        policies: null,
        labels: null,
        class: 'normal',
        weight: 1,
        tracing: 'parent',
        addresses: null,
        environment: 'production',
        created: expect.any(Number),
        expires: null,
        used: { time_zone: 'UTC', today: spent, month: spent, all: spent },
      },
    ])
    expect(Number(body['created'])).toBeGreaterThanOrEqual(Math.floor(made / 1_000))
    const nothing = { requests: 0, input_tokens: 0, output_tokens: 0, dollars: '0', unpriced: 0 }
    expect(await asked('sk-local')).toEqual([
      200,
      {
        object: 'headgate.key',
        id: expect.stringMatching(/^configured_/),
        name: 'laptop',
        models: ['*'],
        search: ['*'],
        families: ['*'],
        providers: ['*'],
        policies: null,
        labels: null,
        class: 'normal',
        weight: 1,
        tracing: 'parent',
        addresses: null,
        environment: 'production',
        scopes: ['metrics'],
        created: null,
        expires: null,
        used: { time_zone: 'UTC', today: nothing, month: nothing, all: nothing },
      },
    ])
    expect((await asked('sk-nobody'))[0]).toBe(401)
    expect(await gateway.stop()).toBe(0)
  })

  it('asks the store once for all that ask for one key at a time', async () => {
    const asked: string[] = []
    const { promise, resolve } = Promise.withResolvers<typeof used>()
    const byKey = (id: string) => {
      asked.push(id)
      return promise
    }
    const keyInfo = createKeyInfo({ keys: { get: async () => undefined }, usage: { byKey } })
    const answers = [keyInfo({ id: 'a' }), keyInfo({ id: 'a' }), keyInfo({ id: 'b' })]
    expect(asked).toEqual(['a', 'b'])
    resolve(used)
    expect(await Promise.all(answers)).toEqual([{ used }, { used }, { used }])
    await keyInfo({ id: 'a' })
    expect(asked).toEqual(['a', 'b', 'a'])
  })
})

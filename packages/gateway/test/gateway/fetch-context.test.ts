import { expect, it } from 'vitest'
import { chatProvider, KEY, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

it('The context of a fetch request waits until the request of a caller who has left is settled', async () => {
  const upstream = await startUpstream()
  const { gateway, rows } = await startGateway('fetch', { providers: [chatProvider(upstream.url)] })
  const leaving = new AbortController()
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi.' }] })
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const request = new Request('http://gateway.test/v1/chat/completions', {
    method: 'POST',
    headers,
    body,
    signal: leaving.signal,
  })
  const awaited: Promise<unknown>[] = []
  const answer = gateway.fetch(request, { waitUntil: (promise) => void awaited.push(promise) })
  await upstream.next()
  leaving.abort()
  await expect(answer).rejects.toThrow()
  await Promise.all(awaited)
  expect([awaited.length, rows.map(({ why }) => why)]).toEqual([1, ['canceled']])
})

import { describe, expect, it } from 'vitest'
import { createInbox } from '../../../core/test/support/inbox.ts'
import { CHAT, chatAnswer, chatRequest } from '../../../core/test/support/wire.ts'
import { good, startFleet } from '../support/fleet.ts'
import type { RunningGateway } from '../support/gateway.ts'
import type { UpstreamCall } from '../support/upstream.ts'

type Post = RunningGateway['post']

describe('A provider', () => {
  const first = { ...chatRequest, user: 'first' }
  const shortened = (stream: boolean) => async (post: Post) => {
    const response = await post(CHAT, { ...first, stream }, { headers: { 'headgate-timeout-ms': '5' } })
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('The request exceeded its time limit.'),
    ])
  }

  it.each<[string, (post: Post, asked: () => Promise<UpstreamCall>) => Promise<unknown>]>([
    ['a time that the caller shortened', shortened(false)],
    ['a time that the caller shortened for a stream', shortened(true)],
    [
      'a caller that left',
      async (post, asked) => {
        const caller = new AbortController()
        const answering = post(CHAT, first, { signal: caller.signal }).catch(() => {})
        const call = await asked()
        caller.abort()
        await Promise.all([answering, call.left])
      },
    ],
    [
      'a request that is wrong',
      async (post, asked) => {
        const answering = post(CHAT, first)
        ;(await asked()).answer(400, { error: { message: 'No' } })
        expect((await answering).status).toBe(400)
      },
    ],
  ])('is asked first all the same after %s', async (_, spoil) => {
    const spoiled = createInbox<UpstreamCall>()
    const serve = (call: UpstreamCall): unknown =>
      call.json()['user'] === 'first' ? spoiled.push(call) : call.answer(200, chatAnswer())
    const { post, access } = await startFleet('node', [serve, good])
    await spoil(post, spoiled.next)
    await access.next()
    expect((await post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('alpha')
  })

  it('is asked last after it took longer than is configured', async () => {
    const { post, upstreams } = await startFleet('node', [() => {}, good], { times: { whole: 200 } })
    expect((await post(CHAT, first)).status).toBe(500)
    expect((await post(CHAT, chatRequest)).headers.get('headgate-vendor')).toBe('beta')
    expect(upstreams[0]?.calls).toHaveLength(1)
  })
})

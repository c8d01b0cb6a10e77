import { describe, expect, it, onTestFinished } from 'vitest'
import type { HeadgateError } from '../../../core/src/errors.ts'
import { createUpstreams as createFetchUpstreams } from '../../src/http/fetch-upstream.ts'
import { createUpstreams } from '../../src/http/upstream.ts'
import { startUpstream } from '../support/upstream.ts'

const TIMES = { connect: 5_000, firstByte: 5_000, silence: 5_000 }

/** Status of a response, or the error of the call. */
function ask(origin: string, publicOrigins: readonly string[], isOnce = false): Promise<number | HeadgateError> {
  const upstreams = createUpstreams(TIMES, { publicOrigins })
  onTestFinished(() => upstreams.destroy())
  upstreams.preconnect(origin)
  const { promise, resolve } = Promise.withResolvers<number | HeadgateError>()
  upstreams.call(
    { method: 'GET', origin, path: '/', headers: {}, isOnce },
    { head: resolve, data: () => {}, end: () => {}, fail: resolve },
  )
  return promise
}

describe('An origin that somebody has entered', () => {
  it('is connected to only at public addresses, whatever its name resolves to then', async () => {
    const upstream = await startUpstream((call) => call.answer(200, {}))
    const { port } = new URL(upstream.origin)
    const private_ = ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]'].map((host) => `http://${host}:${port}`)
    for (const origin of private_)
      for (const isOnce of [false, true]) {
        const failed = await ask(origin, private_, isOnce)
        expect(failed).toMatchObject({ kind: 'upstream', message: expect.stringContaining('no public address') })
      }
    expect(await ask(`http://localhost:${port}`, ['http://localhost:1'])).toBe(200)
  })

  it('is refused by a runtime that cannot check addresses', () => {
    expect(() => createFetchUpstreams(TIMES, { publicOrigins: ['https://api.example.com'] })).toThrow('cannot limit')
  })
})

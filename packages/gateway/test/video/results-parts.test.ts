import { describe, expect, it, vi } from 'vitest'
import type { VideoSupport } from '../../../core/src/provider.ts'
import { startUpstream } from '../support/upstream.ts'
import { bytesOf, DAY, FILM, foreign, HERE, type Made, NO_KEY, own, serveFilm, startFilm as start } from './films.ts'
import { startVideos, videoProvider } from './support.ts'

describe('A part of a file', () => {
  const KINDS = [
    ['that passes', own()],
    ['of a foreign host', foreign({ expiresAt: Date.now() + 3_600_000 })],
    ['that came as bytes', () => ({ video: { bytes: FILM } })],
  ] as const

  it.each(KINDS)('%s is what was asked for', async (_, made) => {
    const { fetchLink, link } = await start(made)
    const answer = await fetchLink(link, { range: 'bytes=100-199' })
    expect([answer.status, answer.headers.get('content-range'), answer.headers.get('content-length')]).toEqual([
      206,
      'bytes 100-199/1000',
      '100',
    ])
    expect((await bytesOf(answer)).equals(FILM.subarray(100, 200))).toBe(true)
    const rest = await fetchLink(link, { range: 'bytes=990-' })
    expect((await bytesOf(rest)).equals(FILM.subarray(990))).toBe(true)
    const outside = await fetchLink(link, { range: 'bytes=1000-' })
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
  })

  it.each(KINDS)('%s is not given of another version of it', async (_, made) => {
    const { fetchLink, link } = await start(made)
    const answer = await fetchLink(link, { range: 'bytes=100-199', 'if-range': '"v0"' })
    expect([answer.status, (await bytesOf(answer)).length]).toEqual([200, 1_000])
  })

  it('of bytes is read as it is written', async () => {
    const { fetchLink, link } = await start(() => ({ video: { bytes: FILM } }))
    const ranges: readonly (readonly [string, number, string | null])[] = [
      ['bytes=-10', 206, 'bytes 990-999/1000'],
      ['bytes=0-0', 206, 'bytes 0-0/1000'],
      ['bytes=0-99999', 206, 'bytes 0-999/1000'],
      ['bytes=-99999', 206, 'bytes 0-999/1000'],
      ['bytes=-0', 416, 'bytes */1000'],
      ['bytes=9-8', 200, null],
      ['bytes=0-1,5-6', 200, null],
      ['lines=0-1', 200, null],
      ['bytes=-', 200, null],
    ]
    for (const [range, status, said] of ranges) {
      const answer = await fetchLink(link, { range })
      expect([range, answer.status, answer.headers.get('content-range')]).toEqual([range, status, said])
      await answer.arrayBuffer()
    }
  })
})

describe('A URL that has ended', () => {
  it.each([400, 401, 403, 404, 410])('is asked for anew, once, after status %s', async (status) => {
    const { fetchLink, looks } = await start(
      ({ own, looks }) => ({ video: { url: `${own}/${looks === 1 ? 'old' : 'new'}.mp4`, needsCredential: true } }),
      HERE,
      (call) => (call.path === '/old.mp4' ? call.answer(status, {}) : serveFilm(call)),
    )
    expect((await bytesOf(await fetchLink())).equals(FILM)).toBe(true)
    expect(looks()).toBe(2)
  })

  it('is not tried where it is known to have ended', async () => {
    const made = ({ own, looks }: { own: string; looks: number }): Made => ({
      video: { url: `${own}/${looks}.mp4`, needsCredential: true, expiresAt: Date.now() + (looks === 1 ? 1 : DAY) },
    })
    const { fetchLink, vendor } = await start(made)
    expect((await fetchLink()).status).toBe(200)
    expect(vendor.calls.filter(({ path }) => path.endsWith('.mp4')).map(({ path }) => path)).toEqual(['/2.mp4'])
  })

  it('is an error where the new one is no better, without the upstream’s id', async () => {
    const { fetchLink, vendor } = await start(own(), HERE, (call) => call.answer(404, {}))
    const answer = await fetchLink()
    expect([answer.status, await answer.json()]).toMatchObject([
      500,
      { error: { message: expect.stringContaining('deleted') } },
    ])
    expect(vendor.calls.filter(({ path }) => path.endsWith('.mp4'))).toHaveLength(2)
  })

  it('of a task that the upstream has lost is told without its id', async () => {
    let isLost = false
    const vendor = await startUpstream((call) => {
      if (call.method === 'POST') call.answer(200, { id: 'upstream-task-1' })
      else if (isLost) call.answer(404, { error: { message: 'There is no upstream-task-1.' } })
      else call.answer(200, {})
    })
    const get: VideoSupport['get'] = {
      request: ({ id }) => ({ method: 'GET', url: `/tasks/${id}` }),
      response: () => ({ status: 'succeeded', video: { bytes: FILM } }),
    }
    const videos = await startVideos({ providers: [videoProvider(vendor.origin, { get })] })
    const [, { id }] = await videos.create()
    const link = await vi.waitFor(async () => {
      const [, { content }] = await videos.get(id)
      return new URL((content as { video_url: string }).video_url)
    }, 4_000)
    isLost = true
    const answer = await videos.call(link.pathname + link.search, NO_KEY)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(await answer.text()).not.toContain('upstream-task-1')
  })
})

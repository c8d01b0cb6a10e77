import { describe, expect, it, vi } from 'vitest'
import { CLOSED_ORIGIN, startUpstream } from '../support/upstream.ts'
import { bytesOf, DAY, FILM, foreign, HERE, own, serveFilm, startFilm as start } from './films.ts'

describe('A file of a task', () => {
  it('is at the upstream where that is for everyone, and for a day', async () => {
    const { content, foreign: host } = await start(foreign())
    expect(content).toEqual({ video_url: `${host.origin}/films/1.mp4` })
    const { link } = await start(foreign({ expiresAt: Date.now() + DAY }))
    expect(link.pathname).toBe('/films/1.mp4')
  })

  it.each([
    ['needs the credential', own(), HERE],
    ['ends within the day', foreign({ expiresAt: Date.now() + 2 * 3_600_000 }), HERE],
    ['is to be our own', foreign(), { ...HERE, linking: 'own' as const }],
    ['comes as bytes', () => ({ video: { bytes: FILM } }), HERE],
  ])('is at the gateway where it %s, for who has the link', async (_, made, tasks) => {
    const { link, fetchLink, id } = await start(made, tasks)
    expect(link.href).toMatch(
      new RegExp(`^http://gateway\\.test/api/v3/contents/generations/tasks/${id}/content\\?exp=\\d+&sig=[\\w-]+$`),
    )
    const lasts = Number(link.searchParams.get('exp')) * 1_000 - Date.now()
    expect([lasts >= DAY - 1_000, lasts <= DAY + 3_600_000]).toEqual([true, true])
    const answer = await fetchLink()
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual([
      200,
      'video/mp4',
      'nosniff',
    ])
    expect((await bytesOf(answer)).equals(FILM)).toBe(true)
  })

  it('tells HEAD its size, and is not fetched', async () => {
    const { link, call } = await start(own(), HERE, (call) => {
      call.head(200, { 'content-type': 'video/mp4', 'content-length': '1000000' })
      call.fill(FILM)
    })
    const answer = await call(link.pathname + link.search, { method: 'HEAD', headers: { 'x-no-key': '1' } })
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '1000000', ''])
  })

  it('has its frame, cover and other files beside it, each by its own link', async () => {
    const { content, fetchLink } = await start(({ own }) => ({
      video: { url: `${own}/1.mp4`, needsCredential: true },
      lastFrame: { url: `${own}/last.png`, needsCredential: true },
      cover: { bytes: FILM, type: 'image/jpeg' },
      file: { url: `${own}/1.glb`, needsCredential: true },
    }))
    expect(Object.keys(content).sort()).toEqual(['cover_url', 'file_url', 'last_frame_url', 'video_url'])
    const links = Object.values(content).map((url) => new URL(url))
    expect((await Promise.all(links.map((link) => fetchLink(link)))).map(({ status }) => status)).toEqual([
      200, 200, 200, 200,
    ])
    const [video, frame] = [new URL(content['video_url'] ?? ''), new URL(content['last_frame_url'] ?? '')]
    expect((await fetchLink(new URL(content['cover_url'] ?? ''))).headers.get('content-type')).toBe('image/jpeg')
    frame.searchParams.set('sig', video.searchParams.get('sig') ?? '')
    video.searchParams.set('part', 'lastFrame')
    for (const wrong of [frame, video]) expect((await fetchLink(wrong)).status).toBe(403)
  })

  it('that could hold scripts is a file, not a page', async () => {
    for (const type of ['image/svg+xml', 'text/html', 'application/javascript', 'IMAGE/SVG+XML']) {
      const { fetchLink } = await start(own(), HERE, (call) => call.answer(200, '<svg/>', { 'content-type': type }))
      expect((await fetchLink()).headers.get('content-type')).toBe('application/octet-stream')
    }
  })
})

describe('A link', () => {
  const FORBIDDEN = { error: { code: 'AccessDenied', type: 'Forbidden', message: expect.stringContaining('link') } }

  it('of which one character was changed gives nothing', async () => {
    const { link, fetchLink, vendor } = await start(own())
    const before = vendor.calls.length
    const { search } = link
    const from = search.indexOf('exp=')
    for (let at = from; at < search.length; at++) {
      const character = search[at] ?? ''
      const other = /\d/.test(character) ? String((Number(character) + 1) % 10) : character === 'A' ? 'B' : 'A'
      const changed = new URL(link.pathname + search.slice(0, at) + other + search.slice(at + 1), link)
      const answer = await fetchLink(changed)
      expect([at, answer.status]).toEqual([at, 403])
      expect(await answer.json()).toMatchObject(FORBIDDEN)
    }
    for (const more of [
      search.replace('exp=', 'exp=0'),
      search.replace('exp=', 'exp=+'),
      `${search}=`,
      `${search}A`,
      '',
      search.replace(/&sig.*/, ''),
    ])
      expect([more, (await fetchLink(new URL(link.pathname + more, link))).status]).toEqual([more, 403])
    expect(vendor.calls).toHaveLength(before)
  })

  it('that has run out, or is of another task, gives nothing', async () => {
    const { link, fetchLink, create, id } = await start(own())
    vi.setSystemTime(Date.now() + 26 * 3_600_000)
    try {
      expect((await fetchLink()).status).toBe(403)
    } finally {
      vi.useRealTimers()
    }
    expect((await fetchLink()).status).toBe(200)
    const [, second] = await create()
    const answer = await fetchLink(new URL(link.href.replace(id, String(second['id']))))
    expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining(FORBIDDEN)])
  })

  it('of a task that was deleted gives nothing', async () => {
    const { fetchLink, remove, id } = await start(own())
    await remove(id)
    const answer = await fetchLink()
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'ResourceNotFound' } }])
  })
})

describe('The credential of a provider', () => {
  it('goes to its host, and never along a redirect', async () => {
    const other = await startUpstream(serveFilm)
    const { fetchLink, vendor } = await start(own(), HERE, (call) =>
      call.answer(302, '', { location: `${other.origin}/signed/1.mp4` }),
    )
    expect((await bytesOf(await fetchLink())).equals(FILM)).toBe(true)
    expect(vendor.calls.at(-1)?.headers['authorization']).toBe('Bearer sk-films')
    expect(other.calls.map(({ headers }) => headers['authorization'])).toEqual([undefined])
  })

  it('goes to no other host, whatever an answer says', async () => {
    const { fetchLink, foreign: host } = await start(foreign({ needsCredential: true }))
    expect((await fetchLink()).status).toBeGreaterThanOrEqual(400)
    expect(host.calls).toHaveLength(0)
  })

  it('is not needed where the URL says so, at the own host too', async () => {
    const { fetchLink, vendor } = await start(own({ needsCredential: false }), { ...HERE, linking: 'own' })
    expect((await fetchLink()).status).toBe(200)
    expect(vendor.calls.at(-1)?.headers).not.toHaveProperty('authorization')
  })

  it('is none of the caller’s', async () => {
    const { fetchLink, foreign: host, link } = await start(foreign(), { ...HERE, linking: 'own' })
    await fetchLink(link, { authorization: 'Bearer sk-caller-0123456789', cookie: 'a=b' })
    expect(Object.keys(host.calls[0]?.headers ?? {}).sort()).toEqual([
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })
})

describe('A host that an upstream names', () => {
  it('is not asked where it is private', async () => {
    const { fetchLink, foreign: host } = await start(foreign(), { linking: 'own' })
    expect((await fetchLink()).status).toBeGreaterThanOrEqual(400)
    expect(host.calls).toHaveLength(0)
  })

  it('is not asked where a redirect leads to a private one', async () => {
    const inside = await startUpstream(serveFilm)
    const { fetchLink } = await start(own(), {}, (call) =>
      call.answer(302, '', { location: `${inside.origin}/secret` }),
    )
    expect((await fetchLink()).status).toBeGreaterThanOrEqual(400)
    expect(inside.calls).toHaveLength(0)
  })

  it.each(['http://', 'file:///etc/passwd', '/again'])(
    'is asked no further than it makes sense: %s',
    async (location) => {
      const { fetchLink, vendor, access } = await start(own(), HERE, (call) => call.answer(302, '', { location }))
      const answer = await fetchLink()
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(vendor.calls.length).toBeLessThan(12)
      expect(access.all.at(-1)?.error?.kind).not.toBe('internal')
    },
  )

  it('that can not be reached is a failure of the upstream', async () => {
    const origin = CLOSED_ORIGIN
    const { fetchLink } = await start(() => ({ video: { url: `${origin}/1.mp4` } }), { ...HERE, linking: 'own' })
    const answer = await fetchLink()
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: 'InternalServiceError' } }])
  })
})

describe('A reader who is slow', () => {
  it('slows the upstream down, and leaving ends it', async () => {
    const piece = Buffer.alloc(1 << 20)
    const MOST = 256
    let written = 0
    const left = Promise.withResolvers<void>()
    const { link, port } = await start(own(), HERE, async (call) => {
      call.head(200, { 'content-type': 'video/mp4', 'content-length': String(MOST * piece.length) })
      call.left.then(left.resolve, left.reject)
      for (; written < MOST; written++) await call.write(piece)
    })
    const leaving = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${port}${link.pathname}${link.search}`, { signal: leaving.signal })
    let before = -1
    const resting = (): void => {
      const now = written
      const isResting = now > 0 && now === before
      before = now
      expect(isResting).toBe(true)
    }
    // Nobody reads: what has room in between is all that goes.
    await vi.waitFor(resting, { interval: 300, timeout: 20_000 })
    expect(written).toBeLessThan(64)
    await answer.body?.getReader().read()
    leaving.abort()
    await left.promise
  })
})

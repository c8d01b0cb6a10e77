import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { HeadgateError } from '../../../core/src/errors.ts'
import { PDF, PNG } from '../../../core/test/support/media.ts'
import { createDownload, type Downloaded, type DownloadOptions } from '../../src/http/download.ts'
import { createGuard, type GuardOptions } from '../../src/http/guard.ts'
import { CLOSED_ORIGIN, startUpstream, type UpstreamCall } from '../support/upstream.ts'

const PATH = 'messages[0].content[1].image_url'
const HOST = 'media.test'
const LOOPBACK = { address: '127.0.0.1', family: 4 }

/** Downloads over the loopback: every host resolves to it, and `media.test` may. */
function createTestDownload({
  resolve: answer,
  ...changes
}: Partial<DownloadOptions> & Pick<GuardOptions, 'resolve'> = {}) {
  const resolved: string[] = []
  const resolve = async (host: string) => {
    resolved.push(host)
    return answer ? answer(host) : [LOOPBACK]
  }
  const download = createDownload({ limit: 1000, guard: createGuard({ allowPrivate: [HOST], resolve }), ...changes })
  const get = (url: string, signal: AbortSignal = new AbortController().signal): Promise<Downloaded> =>
    download({ path: PATH, url }, signal)
  const refusal = (url: string, signal?: AbortSignal): Promise<HeadgateError> =>
    get(url, signal).then(
      () => expect.fail(`${url} was fetched`),
      (error: unknown) => (HeadgateError.is(error) ? error : expect.fail(String(error))),
    )
  return { get, refusal, resolved }
}

/** A server of files under the name that may be fetched from. */
async function startFiles(handler: (call: UpstreamCall) => unknown) {
  const server = await startUpstream(handler)
  const { port } = new URL(server.origin)
  return { server, port, origin: `http://${HOST}:${port}` }
}

const image = (call: UpstreamCall): void => {
  call.head(200, { 'content-type': 'image/png' })
  call.end(PNG)
}

/** Bytes with headers of their own. */
const file =
  (bytes: Uint8Array, headers: Record<string, string>, status = 200) =>
  (call: UpstreamCall): void => {
    call.head(status, headers)
    call.end(bytes)
  }

const redirect = (location: string) => (call: UpstreamCall) => call.answer(302, '', { location })

describe('A download', () => {
  it.each<[string, (bytes: Uint8Array) => Buffer]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
  ])('is inflated where the server compresses unasked: %s', async (coding, compress) => {
    const { origin } = await startFiles(
      file(compress(PNG), { 'content-type': 'image/png', 'content-encoding': coding }),
    )
    expect(await createTestDownload().get(`${origin}/a.png`)).toEqual({ bytes: PNG, mime: 'image/png' })
  })

  it('brings bytes and media type, and says nothing of the caller', async () => {
    const { server, origin } = await startFiles(image)
    expect(await createTestDownload().get(`${origin}/a.png?size=1`)).toEqual({ bytes: PNG, mime: 'image/png' })
    const [call] = server.calls
    expect([call?.method, call?.path]).toEqual(['GET', '/a.png?size=1'])
    const { host, connection: _, ...headers } = call?.headers ?? {}
    expect(headers).toEqual({
      accept: 'image/*, application/pdf',
      'accept-encoding': 'identity',
      'user-agent': 'headgate',
    })
    expect(host).toBe(new URL(origin).host)
  })

  it('takes PDFs, other images, and what is known only by its first bytes', async () => {
    const { origin } = await startFiles((call) => {
      const type = decodeURIComponent(call.path.slice(1))
      file(type === 'image/heic' ? Buffer.from('heic') : PDF, type === '' ? {} : { 'content-type': type })(call)
    })
    const { get } = createTestDownload()
    const typeOf = async (declared: string) => (await get(`${origin}/${encodeURIComponent(declared)}`)).mime
    expect(await typeOf('Application/PDF; qs=0.001')).toBe('application/pdf')
    expect(await typeOf('application/octet-stream')).toBe('application/pdf')
    expect(await typeOf('binary/octet-stream')).toBe('application/pdf')
    expect(await typeOf('')).toBe('application/pdf')
    expect(await typeOf('image/heic')).toBe('image/heic')
    expect(await typeOf('image/jpg')).toBe('image/jpeg')
  })

  it('follows three redirects', async () => {
    const { server, origin } = await startFiles((call) => {
      const hops = Number(call.path.slice(1))
      if (hops === 0) image(call)
      else redirect(`/${hops - 1}`)(call)
    })
    const { get, refusal } = createTestDownload()
    expect((await get(`${origin}/3`)).bytes).toEqual(PNG)
    expect((await refusal(`${origin}/4`)).message).toContain('it redirects more than 3 times')
    expect(server.calls).toHaveLength(8)
  })

  it('resolves a host once a request, and connects to the address that was checked: a name that changes its address gains nothing', async () => {
    const { server, origin } = await startFiles((call) => (call.path === '/a' ? redirect('/b')(call) : image(call)))
    const answers = [[LOOPBACK], [LOOPBACK], [{ address: '10.0.0.1', family: 4 }]]
    let asked = 0
    const { get } = createTestDownload({ resolve: async () => answers[asked++] ?? [] })
    await get(`${origin}/a`)
    expect([asked, server.calls.length]).toEqual([2, 2])
  })

  it('finds a host with a dot at its end, and asks for it without', async () => {
    const { server, port } = await startFiles(image)
    const { get, resolved } = createTestDownload()
    await get(`http://Media.Test.:${port}/a.png`)
    expect(resolved).toEqual([HOST])
    expect(server.calls[0]?.headers.host).toBe(`${HOST}:${port}`)
  })
})

describe('A download is refused, and nobody is asked, when its host is private (160)', () => {
  const HOSTS = [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '①②⑦.0.0.1',
    '127%2e0.0.1',
    '0.0.0.0',
    '0',
    'localhost',
    'localhost.',
    'LOCALHOST',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
  ]
  it.each(HOSTS)('%s', async (host) => {
    const { server, port } = await startFiles(image)
    const { refusal } = createTestDownload()
    const error = await refusal(`http://${host}:${port}/a.png?X-Amz-Signature=secret`)
    expect([error.kind, error.status, error.param]).toEqual(['invalid-request', 400, PATH])
    expect(error.message).toMatch(
      /^messages\[0\]\.content\[1\]\.image_url cannot be fetched from http:.* has no public address\. /,
    )
    expect(error.message).not.toContain('secret')
    expect(server.calls).toHaveLength(0)
  })

  it.each([
    '169.254.169.254',
    '[::ffff:10.0.0.1]',
    '10.0.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '[fd00:ec2::254]',
    '[fe80::1]',
  ])('%s', async (host) => {
    expect((await createTestDownload().refusal(`http://${host}/latest/meta-data/`)).message).toContain(
      'has no public address',
    )
  })

  it('by its name alone: one private address among public ones is enough, and which, is not said', async () => {
    const resolve = async () => [
      { address: '1.1.1.1', family: 4 },
      { address: '10.1.2.3', family: 4 },
    ]
    const { message } = await createTestDownload({ resolve }).refusal('https://inside.example/a.png')
    expect(message).toContain('the host inside.example has no public address')
    expect(message).not.toContain('10.1.2.3')
  })

  it('the same for a name that nobody knows', async () => {
    const resolve = () => Promise.reject(new Error('queryA ENOTFOUND'))
    const { kind, message } = await createTestDownload({ resolve }).refusal('https://nowhere.example/a.png')
    expect([kind, message]).toEqual([
      'invalid-request',
      expect.stringContaining('the host nowhere.example has no public address'),
    ])
  })

  it('when it is so after a redirect, or only then', async () => {
    const { server: inside, port } = await startFiles(image)
    const { server, origin } = await startFiles((call) => redirect(decodeURIComponent(call.path.slice(1)))(call))
    const { refusal } = createTestDownload()
    const targets = [`http://127.0.0.1:${port}/a.png`, `//localhost:${port}/a.png`, `http://other.test:${port}/?secret`]
    for (const target of targets) {
      const { message } = await refusal(`${origin}/${encodeURIComponent(target)}`)
      expect(message).toContain('has no public address')
      expect(message).not.toContain('?secret')
    }
    expect(server.calls).toHaveLength(targets.length)
    expect(inside.calls).toHaveLength(0)
  })
})

describe('A download is refused', () => {
  it.each([
    ['file:///etc/passwd', 'only http and https URLs are allowed'],
    ['ftp://example.com/a.png', 'only http and https URLs are allowed'],
    ['gs://bucket/a.png', 'only http and https URLs are allowed'],
    ['https://user:pass@example.com/a.png', 'URLs with a user name or a password are not allowed'],
    ['https://', 'it is not a valid URL'],
    ['https://exa mple.com/', 'it is not a valid URL'],
  ])('for %s', async (url, why) => {
    const { kind, message } = await createTestDownload().refusal(url)
    expect([kind, message]).toEqual(['invalid-request', expect.stringContaining(why)])
    expect(message).not.toContain('pass@')
  })

  it('when it is larger than it may be, said beforehand or not (161)', async () => {
    const { origin } = await startFiles((call) => {
      if (call.path === '/said')
        file(Buffer.alloc(1001), { 'content-type': 'image/png', 'content-length': '1001' })(call)
      else {
        call.head(200, { 'content-type': 'image/png' })
        // Without an end: it is enough to have seen too much.
        void call.write(Buffer.alloc(1001))
      }
    })
    const { refusal } = createTestDownload()
    for (const path of ['said', 'unsaid'])
      expect((await refusal(`${origin}/${path}`)).message).toBe(
        `${PATH} cannot be fetched from ${origin}/${path}: it has more than 1000 bytes. Fix the URL, or send the content as base64.`,
      )
  })

  it.each([
    ['text/html; charset=utf-8', 'its content type is text/html, which is neither an image nor a PDF'],
    ['application/json', 'its content type is application/json'],
    ['image/', 'its content type is image/'],
    ['application/octet-stream', 'its content is not a known image or PDF'],
  ])('when its content type is %s (161)', async (type, why) => {
    const { origin } = await startFiles(file(Buffer.from('<html>'), { 'content-type': type }))
    expect((await createTestDownload().refusal(`${origin}/a`)).message).toContain(why)
  })

  it.each(['gzip', 'compress'])(
    'when its content is compressed, or said to be, and can not be read: %s',
    async (coding) => {
      const { origin } = await startFiles(file(PNG, { 'content-type': 'image/png', 'content-encoding': coding }))
      expect((await createTestDownload().refusal(`${origin}/a`)).message).toContain(
        'its content cannot be decompressed. Fix',
      )
    },
  )

  it.each([404, 403, 500, 206, 304])('when the answer is a %i', async (status) => {
    const { origin } = await startFiles(
      file(status === 304 ? Buffer.alloc(0) : PNG, { 'content-type': 'image/png' }, status),
    )
    const error = await createTestDownload().refusal(`${origin}/a`)
    expect([error.status, error.message]).toEqual([
      400,
      expect.stringContaining(`the server responded with status ${status}`),
    ])
  })

  it('when it takes too long: to begin, to go on, to be resolved (161)', async () => {
    const { server, origin } = await startFiles((call) => {
      if (call.path === '/begun') call.head(200, { 'content-type': 'image/png' })
    })
    const patience = { time: 50 }
    const slow = createTestDownload(patience)
    for (const path of ['silent', 'begun']) {
      const error = await slow.refusal(`${origin}/${path}`)
      expect([error.kind, error.message]).toEqual([
        'invalid-request',
        expect.stringContaining('it took longer than 0.05 seconds'),
      ])
    }
    await Promise.all(server.calls.map((call) => call.left))
    const forever = createTestDownload({ ...patience, resolve: () => new Promise(() => {}) })
    expect((await forever.refusal(`${origin}/a`)).message).toContain('it took longer than 0.05 seconds')
  })

  it('in the same words whether nobody listens, nobody answers, or what answers is no server of files: ports are not told apart', async () => {
    const { port } = new URL(CLOSED_ORIGIN)
    const { refusal } = createTestDownload({ time: 50 })
    const behaviors: ((call: UpstreamCall) => unknown)[] = [
      (call) => call.cut(),
      (call) => call.reset(),
      (call) => call.raw('SSH-2.0-OpenSSH_9.9\r\n'),
      () => {},
      async (call) => {
        call.head(200, { 'content-type': 'image/png', 'content-length': '900' })
        await call.write('x')
        call.cut()
      },
    ]
    const files = await Promise.all(behaviors.map(startFiles))
    const urls = [
      `http://${HOST}:${port}/a`,
      `https://${HOST}:${files[0]?.port}/a`,
      ...files.map(({ origin }) => `${origin}/a`),
    ]
    const words = await Promise.all(urls.map(async (url) => (await refusal(url)).message.replace(url, 'URL')))
    expect(new Set(words)).toEqual(
      new Set([
        `${PATH} cannot be fetched from URL: the connection failed, or it took longer than 0.05 seconds. Fix the URL, or send the content as base64.`,
      ]),
    )
  })
})

describe('A download that nobody waits for any more', () => {
  it('ends with the reason of the signal, and the connection with it', async () => {
    const { server, origin } = await startFiles(() => {})
    const abort = new AbortController()
    const refusal = createTestDownload().refusal(`${origin}/a`, abort.signal)
    const call = await server.next()
    const reason = new HeadgateError('canceled', 'The caller has left.')
    abort.abort(reason)
    expect(await refusal).toBe(reason)
    await call.left
  })

  it('is not begun', async () => {
    const { server, origin } = await startFiles(image)
    const reason = new HeadgateError('timeout', 'Too late.')
    expect(await createTestDownload().refusal(`${origin}/a`, AbortSignal.abort(reason))).toBe(reason)
    expect(server.calls).toHaveLength(0)
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get, type RequestOptions, Server } from 'node:https'
import { type AddressInfo, connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Certificates, openCertificates } from '../src/service/certificates.ts'
import { createListener } from '../src/service/listener.ts'
import { processLimits } from '../src/service/serving.ts'
import { type CertificateFiles, createAuthority, hasOpenssl } from './certificate-authority.ts'
import { serveInProcess } from './in-process.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { NODE_COMPILE_CACHE, PROGRAM } from './tested.ts'

const LONG = { timeout: 60_000 }

/** An authority, the server's certificate, and copies of its files that a listener reads. */
function createSetup() {
  const folder = temporaryFolder({})
  const own = createAuthority(join(folder, 'own'))
  const server = own.issue('localhost')
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
  const use = (from: CertificateFiles): void => {
    copyFileSync(from.certificate, files.certificate)
    copyFileSync(from.key, files.key)
  }
  use(server)
  return { folder, own, files, use }
}

interface Listening {
  readonly port: number
  readonly server: Server
  readonly certificates: Certificates
  readonly warnings: readonly string[]
}

async function listenWith(
  tls: Parameters<typeof openCertificates>[0]['tls'],
  proxyProtocol?: readonly string[],
): Promise<Listening> {
  const warnings: string[] = []
  const certificates = openCertificates({
    tls,
    folder: '/',
    onWarning: (message) => warnings.push(message),
    onReload: () => {},
  })
  const server = createListener({
    config: { limits: processLimits({}, 1) },
    handler: ({ socket }, response) => response.end(`hello ${socket.remoteAddress}`),
    clientError: (_, socket) => void socket.destroy(),
    certificates,
    isMutual: tls.clients !== undefined,
    proxyProtocol,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  if (!(server instanceof Server)) throw new TypeError('It is no HTTPS server.')
  return { port: (server.address() as AddressInfo).port, server, certificates, warnings }
}

/** Body of a response, or the code of the error. */
async function ask(port: number, options: RequestOptions): Promise<string> {
  const sent = get({ port, host: '127.0.0.1', agent: false, ...options })
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return await text(response)
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

const holding = ({ certificate, key }: CertificateFiles): { readonly cert: Buffer; readonly key: Buffer } => ({
  cert: readFileSync(certificate),
  key: readFileSync(key),
})

describe.skipIf(!hasOpenssl)('TLS on the listener (skipped without openssl)', LONG, () => {
  it('serves HTTPS, and refuses HTTP and TLS 1.1', async () => {
    const { own, files } = createSetup()
    const { port } = await listenWith(files)
    const ca = readFileSync(own.certificate)
    expect(await ask(port, { ca })).toBe('hello 127.0.0.1')
    expect(await ask(port, {})).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    expect(await ask(port, { ca, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).not.toContain('hello')
    const plain = connectPlain(port, '127.0.0.1')
    plain.on('error', () => {})
    plain.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    let answer = ''
    plain.on('data', (piece) => {
      answer += String(piece)
    })
    await once(plain, 'close')
    expect(answer).not.toContain('HTTP/1.1 200')
  })

  it('uses a renewed certificate for new connections, also behind a swapped symlink', async () => {
    const { folder, own, files, use } = createSetup()
    const mounted = join(folder, 'mounted')
    const versions = ['one', 'two'].map((name) => join(folder, name))
    for (const version of versions) mkdirSync(version)
    const [one = '', two = ''] = versions
    copyFileSync(files.certificate, join(one, 'tls.crt'))
    copyFileSync(files.key, join(one, 'tls.key'))
    symlinkSync(one, mounted)
    const { port, server, certificates } = await listenWith({
      certificate: join(mounted, 'tls.crt'),
      key: join(mounted, 'tls.key'),
    })
    const ca = readFileSync(own.certificate)
    const first = await serialOf(port, ca)
    use(own.issue('localhost-2'))
    copyFileSync(files.certificate, join(two, 'tls.crt'))
    copyFileSync(files.key, join(two, 'tls.key'))
    const open = connectTls({ port, host: '127.0.0.1', ca })
    onTestFinished(() => void open.destroy())
    await once(open, 'secureConnect')
    symlinkSync(two, `${mounted}.new`)
    renameSync(`${mounted}.new`, mounted)
    certificates.refresh(server)
    expect(await serialOf(port, ca)).not.toBe(first)
    open.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(await text(open)).toContain('hello')
  })

  it('keeps the previous certificate while the files are invalid, and reports it once', async () => {
    const { own, files, use } = createSetup()
    const { port, server, certificates, warnings } = await listenWith(files)
    const ca = readFileSync(own.certificate)
    const first = await serialOf(port, ca)
    const next = own.issue('localhost-2')
    copyFileSync(next.certificate, files.certificate)
    certificates.refresh(server)
    certificates.refresh(server)
    expect(warnings).toEqual([expect.stringContaining('The previous certificates stay in use: server.tls')])
    rmSync(files.key)
    certificates.refresh(server)
    expect(warnings[1]).toMatch(/server\.tls\.key: .*ENOENT/)
    expect(await serialOf(port, ca)).toBe(first)
    use(next)
    certificates.refresh(server)
    expect(await serialOf(port, ca)).not.toBe(first)
  })

  it('warns of a certificate that ends soon', async () => {
    const { own, use, files } = createSetup()
    use(own.issue('localhost-2', { days: 3 }))
    expect((await listenWith(files)).warnings).toEqual([expect.stringContaining('is valid until')])
  })

  it('names the caller that a load balancer reports before the handshake', async () => {
    const { own, files } = createSetup()
    const { port } = await listenWith(files, ['127.0.0.1'])
    const socket = connectPlain(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('PROXY TCP4 192.0.2.7 198.51.100.1 4660 443\r\n')
    const secure = connectTls({ socket, ca: readFileSync(own.certificate), host: 'localhost', servername: 'localhost' })
    secure.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(await text(secure)).toContain('hello 192.0.2.7')
  })
})

async function serialOf(port: number, ca: Buffer): Promise<string> {
  const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', ca })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

describe.skipIf(!hasOpenssl)('Mutual TLS (skipped without openssl)', LONG, () => {
  it('serves certificates of its authority only: not expired, future, foreign, revoked or absent ones', async () => {
    const { folder, own, files } = createSetup()
    const other = createAuthority(join(folder, 'other'))
    const callers = {
      valid: own.issue('caller'),
      expired: own.issue('expired', { dates: ['20200101000000Z', '20200201000000Z'] }),
      future: own.issue('future', { dates: ['20900101000000Z', '20910201000000Z'] }),
      foreign: other.issue('foreign'),
      revoked: own.issue('revoked'),
    }
    own.revoke(callers.revoked)
    const clients = { ca: own.certificate, crl: own.revocations() }
    const { port } = await listenWith({ ...files, clients })
    const ca = readFileSync(own.certificate)
    expect(await ask(port, { ca, ...holding(callers.valid) })).toBe('hello 127.0.0.1')
    for (const caller of [callers.expired, callers.future, callers.foreign, callers.revoked])
      expect(await ask(port, { ca, ...holding(caller) }), caller.certificate).not.toContain('hello')
    expect(await ask(port, { ca })).not.toContain('hello')
  })

  it('refuses a caller that was revoked after its last connection, also with its earlier session', async () => {
    const { own, files } = createSetup()
    const caller = own.issue('caller')
    const clients = { ca: own.certificate, crl: own.revocations() }
    const { port, server, certificates } = await listenWith({ ...files, clients })
    const options = { ca: readFileSync(own.certificate), ...holding(caller) }
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const socket = connectTls({ port, host: '127.0.0.1', maxVersion, ...options })
      let session: Buffer | undefined
      socket.on('session', (found) => {
        session = found
      })
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      expect(await text(socket)).toContain('hello')
      const again = connectTls({ port, host: '127.0.0.1', maxVersion, ...options, session })
      await once(again, 'secureConnect')
      expect(again.isSessionReused()).toBe(false)
      again.destroy()
    }
    own.revoke(caller)
    own.revocations()
    certificates.refresh(server)
    expect(await ask(port, options)).not.toContain('hello')
  })
})

/** Key that only one address can use. */
const KEY_OF_ONE_ADDRESS = { key: 'sk-local-1', addresses: ['192.0.2.7'] }

/** First line of a response to a caller that a load balancer at 127.0.0.2 reports. */
async function proxied(port: number, from: string, ca: Buffer): Promise<string> {
  const socket = connectPlain({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  onTestFinished(() => void socket.destroy())
  socket.write(`PROXY TCP4 ${from} 198.51.100.1 4660 443\r\n`)
  const secure = connectTls({ socket, ca, host: 'localhost', servername: 'localhost' })
  const lines = ['GET /v1/models HTTP/1.1', 'host: x', 'authorization: Bearer sk-local-1', 'connection: close']
  secure.write(`${lines.join('\r\n')}\r\n\r\n`)
  return (await text(secure)).split('\r\n')[0] ?? ''
}

describe.skipIf(!hasOpenssl)('A program with TLS (skipped without openssl)', LONG, () => {
  it('shows its HTTPS address, and answers probes on its health port', async () => {
    const { folder, own, files } = createSetup()
    const server = { tls: { ...files, clients: { ca: own.certificate } }, healthPort: 0 }
    writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify({ keys: ['sk-local-1'], server }))
    const gateway = await serveInProcess({ folder })
    onTestFinished(() => gateway.end())
    expect(gateway.url).toMatch(/^https:/)
    const health = /health +(\S+)/.exec(gateway.output())?.[1]
    for (const path of ['/healthz', '/readyz']) expect((await fetch(`${health}${path}`)).status).toBe(200)
    expect((await fetch(`${health}/v1/models`)).status).toBe(404)
    const caller = own.issue('caller')
    const headers = { authorization: 'Bearer sk-local-1' }
    const { port } = new URL(gateway.url)
    const models = { path: '/v1/models', headers, ca: readFileSync(own.certificate), ...holding(caller) }
    expect(await ask(Number(port), models)).toContain('"data"')
  })

  it('serves with two workers, of which each reads the PROXY protocol and reloads certificates', async () => {
    const { folder, own, files, use } = createSetup()
    const server = { tls: files, healthPort: 0, proxyProtocol: ['127.0.0.2'] }
    writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify({ keys: [KEY_OF_ONE_ADDRESS], server }))
    const child = spawn(process.execPath, [...PROGRAM, '--port', '0', '--workers', '2'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const gone = once(child, 'exit')
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    child.stderr.on('data', (piece) => {
      output += String(piece)
    })
    const place = (label: string) => new RegExp(`${label} +(\\S+)`).exec(output)?.[1]
    await vi.waitUntil(() => place('health') !== undefined || child.exitCode !== null, { timeout: 60_000 })
    const isReady = () => fetch(`${place('health')}/readyz`).then(({ ok }) => ok)
    await vi.waitUntil(isReady, { timeout: 60_000 })

    const { port } = new URL(place('listening') ?? '')
    const ca = readFileSync(own.certificate)
    const status = (from: string) => proxied(Number(port), from, ca)
    for (let count = 0; count < 6; count += 1) {
      expect(await status('192.0.2.7')).toContain(' 200 ')
      expect(await status('192.0.2.8')).toContain(' 403 ')
    }
    const before = await serialOf(Number(port), ca)
    use(own.issue('localhost-2'))
    await vi.waitUntil(
      async () => {
        const serials = [await serialOf(Number(port), ca), await serialOf(Number(port), ca)]
        return serials.every((serial) => serial !== before)
      },
      { timeout: 30_000, interval: 500 },
    )
    child.kill('SIGTERM')
    expect(await gone).toEqual([0, null])
  })

  it('does not start with a file that is missing', async () => {
    const { folder, files } = createSetup()
    const server = { tls: { ...files, key: 'missing.key' } }
    writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify({ server }))
    await expect(serveInProcess({ folder })).rejects.toThrow(/server\.tls\.key: missing\.key cannot be read \(ENOENT\)/)
  })

  it('is checked by `headgate health`, with and without a health port', async () => {
    const { folder, files } = createSetup()
    const configure = (server: object): void =>
      writeFileSync(join(folder, 'headgate.config.json'), JSON.stringify({ keys: ['sk-local-1'], server }))
    configure({ tls: files })
    const gateway = await serveInProcess({ folder })
    onTestFinished(() => gateway.end())
    const { port } = new URL(gateway.url)
    expect(await command(['health', '--port', port, '--ready'], { folder })).toMatchObject({
      code: 0,
      stdout: `${gateway.url}/readyz: 200\n`,
    })
    configure({})
    expect(await command(['health', '--port', port], { folder })).toMatchObject({ code: 1 })
  })
})

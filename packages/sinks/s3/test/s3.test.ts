import { createHash, createHmac } from 'node:crypto'
import { type Received, rowsOfLines, testBatch, testSink } from '@headgate/conformance'
import { describe, expect, it } from 'vitest'
import { s3 } from '../src/index.ts'

const KEYS = { accessKeyId: 'AKIAKESTREL', secretAccessKey: 'kestrel/over+the/fjord' }
const config = { ...KEYS, bucket: 'usage', baseUrl: 'https://minio.example' }

/**
 * Checks a signature as a server does, from the signed headers that the request names.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
function verify({ method, headers, bytes }: Received, path: string): void {
  const [, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=AKIAKESTREL\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      headers['authorization'] ?? '',
    ) ?? []
  const content = createHash('sha256').update(bytes).digest('hex')
  if (headers['x-amz-content-sha256'] !== content) throw new Error('XAmzContentSHA256Mismatch')
  for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!names.split(';').includes(name)) throw new Error(`${name} is not signed`)
  const encoded = path
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/')
  const lines = names
    .split(';')
    .map((name) => `${name}:${headers[name]}\n`)
    .join('')
  const canonical = [method, encoded, '', lines, names, content].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(canonical).digest('hex')]
  let key: Buffer | string = `AWS4${KEYS.secretAccessKey}`
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  if (createHmac('sha256', key).update(text.join('\n')).digest('hex') !== signature)
    throw new Error('SignatureDoesNotMatch')
}

testSink(s3, {
  config,
  secrets: [KEYS.secretAccessKey],
  read(request) {
    const path = decodeURIComponent(request.path)
    verify(request, path)
    if (request.method !== 'PUT') throw new Error('MethodNotAllowed')
    return { id: path, rows: rowsOfLines(request) }
  },
  failures: [
    {
      name: 'expired temporary credentials (400)',
      reply: { kind: 'whole', status: 400, body: '<Error><Code>ExpiredToken</Code></Error>' },
    },
    {
      name: 'a body that arrived in part (400)',
      reply: { kind: 'whole', status: 400, body: '<Error><Code>IncompleteBody</Code></Error>' },
    },
    {
      name: 'an invalid request',
      reply: { kind: 'whole', status: 400, body: '<Error><Code>InvalidRequest</Code></Error>' },
      isFinal: true,
    },
  ],
})

describe('An object', () => {
  const urlOf = (given: Partial<typeof config>, project: string | null) => {
    const sink = s3({ ...config, ...given })
    if (!('request' in sink.write)) throw new TypeError('It is an exchange.')
    const batch = testBatch(sink, 1, 2, project)
    const { url } = sink.write.request(batch, { model: '', stream: false, headers: {}, lose() {} })
    return { url: `${sink.baseUrl}${decodeURIComponent(url)}`, batch }
  }

  it('has the project, day and hour in its path, and the row ids in its name', () => {
    const { url, batch } = urlOf({}, 'p-1')
    expect(url).toBe(
      `https://minio.example/usage/headgate/project=p-1/dt=2026-01-31/hh=23/${batch.first}-${batch.last}.jsonl.gz`,
    )
    expect(urlOf({}, null).url).toContain('/project=unknown/')
  })

  it('is on the host of its bucket at AWS', () => {
    const sink = s3({ ...KEYS, bucket: 'usage', region: 'eu-central-1' })
    expect(sink.baseUrl).toBe('https://usage.s3.eu-central-1.amazonaws.com')
  })

  it('needs the style `path` if the server is an address', () => {
    const server = { ...KEYS, bucket: 'usage', baseUrl: 'http://10.0.0.5:9000' }
    expect(() => s3({ ...server, style: 'host' })).toThrow('Set `style` to `path`')
    expect(s3(server).baseUrl).toBe('http://10.0.0.5:9000')
  })

  it('needs credentials', () => {
    expect(() => s3({ bucket: 'usage' })).toThrow('No AWS credentials')
  })
})

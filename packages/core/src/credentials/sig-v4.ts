import { createHash, createHmac } from 'node:crypto'
import { type Credential, type FinalRequest, type Lease, signed } from '../contract/credential.ts'

/** Keys of AWS, with a session token if they are temporary. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** Scope and keys of AWS Signature Version 4. */
export interface SigV4 {
  /** Name of the service, such as `sqs`. */
  readonly service: string
  /** Region, such as `us-east-1`. */
  readonly region: string
  /** Long-term keys, or a lease from the metadata of a container or an instance. */
  readonly keys: AwsKeys | Lease<AwsKeys>
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

function hash(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Percent-encoding of RFC 3986, which covers more characters than `encodeURIComponent`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Service whose objects have paths that are encoded once, and whose requests name the hash of their body. */
const OBJECTS = 's3'

/** Path of the canonical request, which encodes the URL's path a second time. Only S3 does not. */
function canonicalPath({ pathname }: URL, service: string): string {
  const segments = pathname.split('/')
  return segments.map((one) => encode(service === OBJECTS ? decodeURIComponent(one) : one)).join('/')
}

function canonicalQuery({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => [encode(name), encode(value)] as const)
  return pairs
    .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : Number(x > y)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/**
 * Headers that sign a request with AWS Signature Version 4.
 * @example const headers = signV4(request, keys, { service: 's3', region: 'us-east-1' }, new Date())
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signV4(
  { method, url, headers, body }: FinalRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
  { service, region }: Pick<SigV4, 'service' | 'region'>,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const content = hash(body)
  const added = {
    ...(service === OBJECTS && { 'x-amz-content-sha256': content }),
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const contentType = headers['content-type']
  const covered = Object.entries({
    host: url.host,
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...added,
  }).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = covered.map(([name]) => name).join(';')
  const lines = covered.map(([name, value]) => `${name}:${value.trim().replace(/ {2,}/g, ' ')}\n`).join('')
  const request = [method, canonicalPath(url, service), canonicalQuery(url), lines, names, content].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    (at, step) => hmac(at, step),
    `AWS4${secretAccessKey}`,
  )
  const signature = hmac(Buffer.from(key), [ALGORITHM, time, scope, hash(request)].join('\n')).toString('hex')
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** Matches AWS's error for expired keys. */
const EXPIRED = /ExpiredToken|expired/i

/**
 * Credential that signs requests with AWS Signature Version 4.
 * @example const credential = sigV4({ service: 'sqs', region: 'us-east-1', keys })
 */
export function sigV4({ keys, ...scope }: SigV4): Credential {
  if (!('obtain' in keys)) {
    const { secretAccessKey, sessionToken } = keys
    const secrets = [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])]
    return signed({ secrets, sign: (request, _, now) => signV4(request, keys, scope, now) })
  }
  return signed<AwsKeys>({
    lease: keys,
    sign: (request, material, now) => signV4(request, material, scope, now),
    stale: ({ status, body }) => status === 403 && EXPIRED.test(JSON.stringify(body) ?? ''),
  })
}

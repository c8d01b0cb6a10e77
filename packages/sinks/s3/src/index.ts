import { awsEnv, awsFields, awsHost, awsKeys, awsRegion, sigV4 } from '@headgate/core/credentials'
import { baseUrl, defineSink, HeadgateError, required, type SinkBatch, type UpstreamError } from '@headgate/core/sink'
import { z } from 'zod'

/** Codes of errors about the credential that have the status 400. */
const CREDENTIAL = /^(?:ExpiredToken|InvalidToken|TokenRefreshRequired)$/
/** Codes of errors that have the status 400, and pass. */
const TEMPORARY = /^(?:RequestTimeout|IncompleteBody|BadDigest)$/

const fields = z.strictObject({
  bucket: z.string().regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i, 'the name of a bucket'),
  region: awsRegion.default('us-east-1'),
  prefix: z.string().default('headgate').describe('First folders of all objects.'),
  baseUrl: baseUrl.optional().describe('Server with the API of S3. Default: AWS.'),
  style: z.enum(['path', 'host']).optional().describe('Place of the bucket. Default: `path` with a `baseUrl`.'),
  ...awsFields,
})

/**
 * S3 and servers with its API. An object has the rows of one project and one hour, as gzipped lines of JSON. Its name
 * contains the first and last row id, so that a repeated batch replaces itself.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
export const s3 = defineSink(
  {
    id: 's3',
    title: 'S3',
    config: fields.transform((given, context) => ({
      ...given,
      keys: required(awsKeys(given), context, 'No AWS credentials. Set accessKeyId and secretAccessKey.'),
    })),
    env: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'], ...awsEnv },
  },
  ({ bucket, region, prefix, baseUrl: server, style = server === undefined ? 'host' : 'path', keys }) => {
    const origin = new URL(server ?? awsHost('s3', region))
    if (style === 'host') {
      origin.hostname = `${bucket}.${origin.hostname}`
      // A host that is an address has no subdomains.
      if (!origin.hostname.startsWith(`${bucket.toLowerCase()}.`))
        throw new HeadgateError('invalid-request', `${origin.host} has no subdomains. Set \`style\` to \`path\`.`)
    }
    const folders = [...(style === 'path' ? [bucket] : []), ...prefix.split('/').filter((part) => part !== '')]
    return {
      baseUrl: origin.href.replace(/\/$/, ''),
      credential: sigV4({ service: 's3', region, keys }),
      limits: { rows: 50_000, bytes: 5_000_000, waitMs: 60_000 },
      partition: 'hour-project',
      compression: 'gzip',
      write: {
        request: (batch) => ({
          method: 'PUT',
          url: `/${[...folders, ...pathOf(batch)].map(encodeURIComponent).join('/')}`,
          body: { bytes: batch.content, type: 'application/gzip' },
        }),
        response: () => {},
      },
      readError: ({ status, body }) => (status < 300 ? undefined : errorOf(status, String(body))),
    }
  },
)

function pathOf({ project, hour = '', first, last }: SinkBatch): string[] {
  const [day = '', of = ''] = hour.split('T')
  return [`project=${project ?? 'unknown'}`, `dt=${day}`, `hh=${of}`, `${first}-${last}.jsonl.gz`]
}

/** Error of an XML body, if its status alone would be misleading. */
function errorOf(status: number, xml: string): UpstreamError | undefined {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(xml)?.[1]
  if (code === undefined) return undefined
  const kind = CREDENTIAL.test(code) ? 'our-credential' : TEMPORARY.test(code) ? 'upstream' : undefined
  return kind && { kind, code, message: `it responded with status ${status} (${code})` }
}

import { type AwsKeys, bearer, sigV4 } from '@headgate/core/credentials'
import { type Credential, HeadgateError, type HttpResponse, type Lease, next, text } from '@headgate/core/provider'
import { z } from 'zod'

/** The metadata service of a machine. @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html */
const MACHINE = 'http://169.254.169.254'
const ROLES = `${MACHINE}/latest/meta-data/iam/security-credentials/`
/** Where a path of a container's credentials is asked for. @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
const CONTAINER = 'http://169.254.170.2'
/** The only hosts that are asked without TLS. */
const PLAIN = new Set(['localhost', '127.0.0.1', '[::1]', '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])

/** Fields of the config that say who asks. */
export const credentialFields = {
  apiKey: z.string().trim().min(1).optional(),
  accessKeyId: z.string().trim().min(1).optional(),
  secretAccessKey: z.string().trim().min(1).optional(),
  sessionToken: z.string().trim().min(1).optional(),
  profile: z.string().trim().min(1).default('default'),
  credentialsFile: z.string().max(1_048_576).optional(),
  containerUrl: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(isAllowed, 'must be https, or a host of this machine')
    .optional(),
  containerPath: z.string().startsWith('/').optional(),
  containerToken: z.string().trim().min(1).optional(),
  machine: z.boolean().default(false),
}

type Given = z.output<z.ZodObject<typeof credentialFields>>

function isAllowed(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || PLAIN.has(hostname)
}

/** How requests are signed, by what is there first; undefined where nothing is. */
export function credentialOf(given: Given, region: string): Credential | undefined {
  if (given.apiKey !== undefined) return bearer(given.apiKey)
  const keys = keysOf(given)
  return keys && sigV4({ service: 'bedrock', region, keys })
}

function keysOf(given: Given): AwsKeys | Lease<AwsKeys> | undefined {
  const { accessKeyId, secretAccessKey, sessionToken, containerUrl, containerPath } = given
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey, sessionToken }
  const profile = given.credentialsFile === undefined ? undefined : profileIn(given.credentialsFile, given.profile)
  if (profile) return profile
  if (containerPath !== undefined) return containerKeys(`${CONTAINER}${containerPath}`, given.containerToken)
  if (containerUrl !== undefined) return containerKeys(containerUrl, given.containerToken)
  return given.machine ? machineKeys : undefined
}

/** The keys of a profile in the text of a shared credentials file. @see https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html */
export function profileIn(file: string, profile: string): AwsKeys | undefined {
  const fields = new Map<string, string>()
  let isWanted = false
  for (const line of file.split('\n').map((one) => one.trim())) {
    const section = line.startsWith('[') && line.endsWith(']') ? line.slice(1, -1).trim() : undefined
    if (section !== undefined) isWanted = section === profile || section === `profile ${profile}`
    const equals = line.indexOf('=')
    if (section !== undefined || !isWanted || equals < 1 || line.startsWith('#') || line.startsWith(';')) continue
    fields.set(line.slice(0, equals).trim().toLowerCase(), line.slice(equals + 1).trim())
  }
  const accessKeyId = fields.get('aws_access_key_id')
  const secretAccessKey = fields.get('aws_secret_access_key')
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken: fields.get('aws_session_token') } : undefined
}

const Keys = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  Token: z.string().nullish(),
  Expiration: z.iso.datetime({ offset: true }),
})

function readKeys({ body }: HttpResponse): AwsKeys & { readonly expiresAt: Date } {
  const read = Keys.safeParse(body)
  if (!read.success) throw new HeadgateError('our-credential', 'The metadata service did not answer with keys. Check the role.')
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token, Expiration } = read.data
  return { accessKeyId, secretAccessKey, ...(Token && { sessionToken: Token }), expiresAt: new Date(Expiration) }
}

const secrets: Lease<AwsKeys>['secrets'] = ({ secretAccessKey, sessionToken }) => [secretAccessKey, ...(sessionToken ? [sessionToken] : [])]

/** The keys of a task of ECS, or of a pod of EKS. */
function containerKeys(url: string, token: string | undefined): Lease<AwsKeys> {
  const { protocol, host, origin } = new URL(url)
  return {
    hosts: [protocol === 'https:' ? host : origin],
    obtain: {
      request: () => ({
        method: 'GET',
        url,
        headers: { accept: 'application/json', ...(token !== undefined && { authorization: token }) },
      }),
      response: readKeys,
    },
    secrets,
  }
}

/** The keys of a machine's role: a token of the session, the name of the role, then its keys. */
const machineKeys: Lease<AwsKeys> = {
  hosts: [MACHINE],
  obtain: {
    request: () => ({ method: 'PUT', url: `${MACHINE}/latest/api/token`, headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' } }),
    response(answer, earlier) {
      const token = text((earlier[0] ?? answer).body)
      if (!token) throw new HeadgateError('our-credential', 'The metadata service of the machine gave no token.')
      const ask = (url: string) => next({ method: 'GET', url, headers: { 'x-aws-ec2-metadata-token': token } })
      if (earlier.length === 0) return ask(ROLES)
      if (earlier.length > 1) return readKeys(answer)
      const role = text(answer.body)?.trim().split('\n')[0]
      if (!role) throw new HeadgateError('our-credential', 'The machine has no role. Give it one, or give keys.')
      return ask(`${ROLES}${encodeURIComponent(role)}`)
    },
  },
  secrets,
}

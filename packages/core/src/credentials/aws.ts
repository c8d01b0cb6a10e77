import { z } from 'zod'
import { text } from '../canonical/json.ts'
import type { Lease } from '../contract/credential.ts'
import { next } from '../contract/exchange.ts'
import type { HttpResponse } from '../contract/http.ts'
import { HeadgateError } from '../errors.ts'
import type { AwsKeys } from './sig-v4.ts'

/**
 * The metadata service of a machine. @see
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 */
const MACHINE = 'http://169.254.169.254'
const ROLES = `${MACHINE}/latest/meta-data/iam/security-credentials/`
/**
 * Where a path of a container's credentials is asked for. @see
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
const CONTAINER = 'http://169.254.170.2'
/** The only hosts that are asked without TLS. */
const PLAIN = new Set(['localhost', '127.0.0.1', '[::1]', '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])

/** Fields of a config that say whose keys of AWS sign, in the order in which they count. */
export const awsFields = {
  accessKeyId: z.string().trim().min(1).optional(),
  secretAccessKey: z.string().trim().min(1).optional(),
  sessionToken: z.string().trim().min(1).optional(),
  profile: z.string().trim().min(1).default('default'),
  /** The text of the file. */
  credentialsFile: z.string().max(1_048_576).optional(),
  containerUrl: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(isAllowed, 'must be https, or a host of this machine')
    .optional(),
  containerPath: z.string().startsWith('/').optional(),
  containerToken: z.string().trim().min(1).optional(),
  /** Whether the keys of the role of an EC2 machine are asked for. */
  machine: z.boolean().default(false),
}

/** Where AWS's own tools look for {@link awsFields}. */
export const awsEnv = {
  accessKeyId: ['AWS_ACCESS_KEY_ID'],
  secretAccessKey: ['AWS_SECRET_ACCESS_KEY'],
  sessionToken: ['AWS_SESSION_TOKEN'],
  profile: ['AWS_PROFILE'],
  credentialsFile: [{ file: 'AWS_SHARED_CREDENTIALS_FILE', default: '~/.aws/credentials' }],
  containerPath: ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
  containerUrl: ['AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  containerToken: ['AWS_CONTAINER_AUTHORIZATION_TOKEN', { file: 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE' }],
}

/** The name of a region; a host is made of it. */
export const awsRegion = z.string().regex(/^[a-z0-9-]+$/, 'must be the name of a region: us-east-1')

/** The host of a service in a region: `https://<service>.us-east-1.amazonaws.com`. */
export function awsHost(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

function isAllowed(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || PLAIN.has(hostname)
}

/**
 * The keys that requests are signed with, by what is there first: keys, a profile of the file, a container's, a
 * machine's; undefined where nothing is. Profiles that assume a role, log in, or run a command are not read.
 */
export function awsKeys(given: z.output<z.ZodObject<typeof awsFields>>): AwsKeys | Lease<AwsKeys> | undefined {
  const { accessKeyId, secretAccessKey, sessionToken, containerUrl, containerPath } = given
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey, sessionToken }
  const profile = given.credentialsFile === undefined ? undefined : profileIn(given.credentialsFile, given.profile)
  if (profile) return profile
  if (containerPath !== undefined) return containerKeys(`${CONTAINER}${containerPath}`, given.containerToken)
  if (containerUrl !== undefined) return containerKeys(containerUrl, given.containerToken)
  return given.machine ? machineKeys : undefined
}

/**
 * The keys of a profile in the text of a shared credentials file. @see
 * https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
function profileIn(file: string, profile: string): AwsKeys | undefined {
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
  return accessKeyId && secretAccessKey
    ? { accessKeyId, secretAccessKey, sessionToken: fields.get('aws_session_token') }
    : undefined
}

const Keys = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  Token: z.string().nullish(),
  Expiration: z.iso.datetime({ offset: true }),
})

function readKeys({ body }: HttpResponse): AwsKeys & { readonly expiresAt: Date } {
  const read = Keys.safeParse(body)
  if (!read.success)
    throw new HeadgateError('our-credential', 'The metadata service did not answer with keys. Check the role.')
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token, Expiration } = read.data
  return { accessKeyId, secretAccessKey, ...(Token && { sessionToken: Token }), expiresAt: new Date(Expiration) }
}

const secrets: Lease<AwsKeys>['secrets'] = ({ secretAccessKey, sessionToken }) => [
  secretAccessKey,
  ...(sessionToken ? [sessionToken] : []),
]

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
    request: () => ({
      method: 'PUT',
      url: `${MACHINE}/latest/api/token`,
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
    }),
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

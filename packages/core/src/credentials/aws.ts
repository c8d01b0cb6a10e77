import { z } from 'zod'
import { text } from '../canonical/json.ts'
import type { Lease } from '../contract/credential.ts'
import { next } from '../contract/exchange.ts'
import type { HttpResponse } from '../contract/http.ts'
import { HeadgateError } from '../errors.ts'
import { type AwsRole, assumedKeys, webIdentityKeys } from './aws-roles.ts'
import type { AwsKeys } from './sig-v4.ts'

/**
 * Metadata service of an EC2 instance.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 */
const MACHINE = 'http://169.254.169.254'
const ROLES = `${MACHINE}/latest/meta-data/iam/security-credentials/`
/**
 * Host of a container's credentials, for a relative path.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
const CONTAINER = 'http://169.254.170.2'
/** Hosts that may be called without TLS. */
const PLAIN = new Set(['localhost', '127.0.0.1', '[::1]', '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])

const arn = z.string().trim().startsWith('arn:')

/** Configuration fields for AWS credentials, in order of precedence. */
export const awsFields = {
  accessKeyId: z.string().trim().min(1).optional(),
  secretAccessKey: z.string().trim().min(1).optional(),
  sessionToken: z.string().trim().min(1).optional(),
  profile: z.string().trim().min(1).default('default'),
  /** Contents of the file. */
  credentialsFile: z.string().max(1_048_576).optional(),
  containerUrl: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(isAllowed, 'must be https, or a host of this machine')
    .optional(),
  containerPath: z.string().startsWith('/').optional(),
  containerToken: z.string().trim().min(1).optional(),
  /** ARN of the role of the web identity. */
  roleArn: arn.optional(),
  /** Path of the file with the token of the web identity. */
  webIdentityTokenFile: z.string().trim().min(1).optional(),
  roleSessionName: z
    .string()
    .regex(/^[\w+=,.@-]{2,64}$/, 'must have 2 to 64 letters, digits and +=,.@-_')
    .default('headgate'),
  /** ARN of a role to assume with the keys of another source. */
  assumeRoleArn: arn.optional(),
  externalId: z.string().trim().min(2).optional(),
  /** Base URL of the Security Token Service. */
  stsUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** True to use the role of an EC2 instance. */
  machine: z.boolean().default(false),
}

/** Environment sources of {@link awsFields}, as in AWS's tools. */
export const awsEnv = {
  accessKeyId: ['AWS_ACCESS_KEY_ID'],
  secretAccessKey: ['AWS_SECRET_ACCESS_KEY'],
  sessionToken: ['AWS_SESSION_TOKEN'],
  profile: ['AWS_PROFILE'],
  roleArn: ['AWS_ROLE_ARN'],
  webIdentityTokenFile: ['AWS_WEB_IDENTITY_TOKEN_FILE'],
  roleSessionName: ['AWS_ROLE_SESSION_NAME'],
  stsUrl: ['AWS_ENDPOINT_URL_STS'],
  credentialsFile: [{ file: 'AWS_SHARED_CREDENTIALS_FILE', default: '~/.aws/credentials' }],
  containerPath: ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
  containerUrl: ['AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  containerToken: ['AWS_CONTAINER_AUTHORIZATION_TOKEN', { file: 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE' }],
}

/** Name of a region, which becomes part of a host. */
export const awsRegion = z.string().regex(/^[a-z0-9-]+$/, 'must be the name of a region: us-east-1')

/**
 * Base URL of a service in a region: `https://<service>.us-east-1.amazonaws.com`.
 * @example awsHost('sqs', 'us-east-1') // https://sqs.us-east-1.amazonaws.com
 */
export function awsHost(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

function isAllowed(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || PLAIN.has(hostname)
}

type AwsFields = z.output<z.ZodObject<typeof awsFields>> & { readonly region: string }

/**
 * Keys that sign requests. The first available source is used: keys, a profile in the file, a web identity, a
 * container, an EC2 instance. With `assumeRoleArn`, they are the keys of this role. Undefined without a source. Profiles that
 * log in or run a command are not supported.
 * @example
 * const keys = required(awsKeys(fields), context, 'No AWS credentials.')
 * const credential = sigV4({ service: 'sqs', region, keys })
 */
export function awsKeys(given: AwsFields): AwsKeys | Lease<AwsKeys> | undefined {
  const { assumeRoleArn, externalId } = given
  const source = sourceKeys(given)
  return source && assumeRoleArn !== undefined
    ? assumedKeys({ ...roleOf(given, assumeRoleArn), externalId }, source)
    : source
}

function roleOf({ roleSessionName: sessionName, stsUrl, region }: AwsFields, roleArn: string): AwsRole {
  return { roleArn, sessionName, stsUrl: stsUrl ?? awsHost('sts', region), region }
}

function sourceKeys(given: AwsFields): AwsKeys | Lease<AwsKeys> | undefined {
  const { accessKeyId, secretAccessKey, sessionToken, containerUrl, containerPath } = given
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey, sessionToken }
  const profile = given.credentialsFile === undefined ? undefined : profileIn(given.credentialsFile, given.profile)
  if (profile) return profile
  if (given.roleArn !== undefined && given.webIdentityTokenFile !== undefined)
    return webIdentityKeys(roleOf(given, given.roleArn), given.webIdentityTokenFile)
  if (containerPath !== undefined) return containerKeys(`${CONTAINER}${containerPath}`, given.containerToken)
  if (containerUrl !== undefined) return containerKeys(containerUrl, given.containerToken)
  return given.machine ? machineKeys : undefined
}

/**
 * Keys of a profile in a shared credentials file.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
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
    throw new HeadgateError('our-credential', 'The AWS metadata service returned no keys. Check the role.')
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token, Expiration } = read.data
  return { accessKeyId, secretAccessKey, ...(Token && { sessionToken: Token }), expiresAt: new Date(Expiration) }
}

const secrets: Lease<AwsKeys>['secrets'] = ({ secretAccessKey, sessionToken }) => [
  secretAccessKey,
  ...(sessionToken ? [sessionToken] : []),
]

/** Keys of an ECS task or an EKS pod. */
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

/** Keys of an EC2 instance's role. Three requests: session token, name of the role, keys. */
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
      if (!token) throw new HeadgateError('our-credential', 'The EC2 metadata service returned no session token.')
      const ask = (url: string) => next({ method: 'GET', url, headers: { 'x-aws-ec2-metadata-token': token } })
      if (earlier.length === 0) return ask(ROLES)
      if (earlier.length > 1) return readKeys(answer)
      const role = text(answer.body)?.trim().split('\n')[0]
      if (!role)
        throw new HeadgateError('our-credential', 'This EC2 instance has no role. Attach a role, or configure keys.')
      return ask(`${ROLES}${encodeURIComponent(role)}`)
    },
  },
  secrets,
}

import { text } from '../canonical/json.ts'
import type { Lease, Leased } from '../contract/credential.ts'
import { isNext, next } from '../contract/exchange.ts'
import type { HttpRequest, HttpResponse } from '../contract/http.ts'
import { HeadgateError } from '../errors.ts'
import { type AwsKeys, signV4 } from './sig-v4.ts'
import { postForm } from './token.ts'
import { tokenFile } from './token-file.ts'

const VERSION = '2011-06-15'
const SECRETS: Lease<AwsKeys>['secrets'] = ({ secretAccessKey, sessionToken }) => [
  secretAccessKey,
  ...(sessionToken === undefined ? [] : [sessionToken]),
]

/** Role of AWS that is assumed at the Security Token Service (STS). */
export interface AwsRole {
  /** ARN of the role. */
  readonly roleArn: string
  /** Name of the session in AWS's logs. */
  readonly sessionName: string
  /** Base URL of STS, such as `https://sts.us-east-1.amazonaws.com`. */
  readonly stsUrl: string
  /** Region of STS, for the signature. */
  readonly region: string
  /** External id that the role requires. */
  readonly externalId?: string | undefined
}

/**
 * Keys of a role for a token of a web identity, such as the service account of an EKS pod.
 * @param tokenPath file with the token.
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 */
export function webIdentityKeys({ roleArn, sessionName, stsUrl }: AwsRole, tokenPath: string): Lease<AwsKeys> {
  const fields = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: VERSION,
    RoleArn: roleArn,
    RoleSessionName: sessionName,
  }
  return {
    hosts: hostsOf(stsUrl),
    obtain: {
      request: () => postForm(addressOf(stsUrl), { ...fields, WebIdentityToken: tokenFile(tokenPath) }, XML),
      response: readKeys,
    },
    secrets: SECRETS,
  }
}

/**
 * Keys of a role that other keys may assume.
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
export function assumedKeys(role: AwsRole, source: AwsKeys | Lease<AwsKeys>): Lease<AwsKeys> {
  if (!('obtain' in source))
    return {
      hosts: hostsOf(role.stsUrl),
      obtain: { request: ({ now }) => assumption(role, source, now), response: readKeys },
      secrets: SECRETS,
    }
  const { obtain, hosts } = source
  return {
    hosts: [...hosts, ...hostsOf(role.stsUrl)],
    obtain: {
      request: obtain.request,
      response(answer, earlier, given) {
        const answers = [...earlier, answer]
        for (const [count, one] of answers.entries()) {
          const found = obtain.response(one, answers.slice(0, count), given)
          const isLast = count === answers.length - 1
          if (isNext(found)) {
            if (isLast) return found
            continue
          }
          // The source answers first, then STS.
          return isLast ? next(assumption(role, found, given.now)) : readKeys(answer)
        }
        throw new HeadgateError('our-credential', 'The source of the AWS keys did not answer.')
      },
    },
    secrets: SECRETS,
  }
}

const XML = { accept: 'application/xml, text/xml' }

function addressOf(stsUrl: string): string {
  return `${stsUrl.replace(/\/+$/, '')}/`
}

function hostsOf(stsUrl: string): readonly string[] {
  const { protocol, host, origin } = new URL(stsUrl)
  return [protocol === 'https:' ? host : origin]
}

function assumption(
  { roleArn, sessionName, stsUrl, region, externalId }: AwsRole,
  keys: AwsKeys,
  now: Date,
): HttpRequest {
  const url = addressOf(stsUrl)
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: VERSION,
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    ...(externalId !== undefined && { ExternalId: externalId }),
  }).toString()
  const type = 'application/x-www-form-urlencoded'
  const unsigned = { method: 'POST', url: new URL(url), headers: { 'content-type': type }, body: form }
  const headers = signV4(unsigned, keys, { service: 'sts', region }, now)
  return { method: 'POST', url, headers: { ...headers, ...XML }, body: { bytes: form, type } }
}

/** Keys in the XML of STS. */
function readKeys({ body }: HttpResponse): Leased<AwsKeys> {
  const xml = text(body) ?? ''
  const field = (name: string): string | undefined => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1]
  const [accessKeyId, secretAccessKey] = [field('AccessKeyId'), field('SecretAccessKey')]
  const [sessionToken, expiration = ''] = [field('SessionToken'), field('Expiration')]
  const expiresAt = new Date(expiration)
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiresAt.getTime()))
    throw new HeadgateError('our-credential', 'AWS STS returned no keys. Check the trust policy of the role.')
  return { accessKeyId, secretAccessKey, sessionToken, expiresAt }
}

import { z } from 'zod'
import { isObject, parse, text } from '../canonical/json.ts'
import { type Credential, signed } from '../contract/credential.ts'
import { next } from '../contract/exchange.ts'
import type { HttpRequest } from '../contract/http.ts'
import { HeadgateError, invalid } from '../errors.ts'
import { serviceAccount } from './service-account.ts'
import { postForm, readToken } from './token.ts'
import { tokenFile } from './token-file.ts'

const url = z.url({ protocol: /^https?$/ })
const format = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json'), subject_token_field_name: z.string().min(1) }),
  ])
  .default({ type: 'text' })

const ExternalAccount = z.object({
  type: z.literal('external_account'),
  audience: z.string().min(1),
  subject_token_type: z.string().min(1),
  token_url: url,
  service_account_impersonation_url: url.optional(),
  service_account_impersonation: z
    .object({ token_lifetime_seconds: z.int().min(600).max(43_200).optional() })
    .optional(),
  credential_source: z.union([
    z.object({ file: z.string().min(1), format }),
    z.object({ url, headers: z.record(z.string(), z.string()).optional(), format }),
  ]),
})

type ExternalAccount = z.output<typeof ExternalAccount>

/** Lifetime of a token of a service account in seconds, unless the file sets another one. */
const LIFETIME_S = 3_600

/**
 * Credential in a JSON file of Google Cloud: the key of a service account, or a workload identity (`external_account`).
 * @param json contents of the file.
 * @param scope requested OAuth scope.
 * @throws HeadgateError if the file is neither. The message does not quote it.
 * @example googleCredential(file, 'https://www.googleapis.com/auth/cloud-platform')
 * @see https://google.aip.dev/auth/4117
 */
export function googleCredential(json: string, scope: string): Credential {
  const content = parse(json)
  if (!isObject(content) || content['type'] !== 'external_account') return serviceAccount(json, scope)
  const read = ExternalAccount.safeParse(content)
  if (read.success) return externalAccount(read.data, scope)
  const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.')).filter(Boolean))].join(', ')
  throw invalid(undefined, `This workload identity of Google Cloud is not supported: check ${fields}.`)
}

/** The token of the platform is exchanged for one of Google, and that for one of a service account, if the file names it. */
function externalAccount(account: ExternalAccount, scope: string): Credential {
  const { credential_source: source, token_url, service_account_impersonation_url: impersonation } = account
  const isFile = 'file' in source
  const addresses = [
    token_url,
    ...(isFile ? [] : [source.url]),
    ...(impersonation === undefined ? [] : [impersonation]),
  ]
  const exchange = (subject: string): HttpRequest => exchangeOf(account, subject, impersonation ? IAM : scope)
  return signed<{ readonly token: string }>({
    lease: {
      hosts: addresses.map(hostOf),
      obtain: {
        request: () =>
          isFile
            ? exchange(subjectOf(tokenFile(source.file), source.format))
            : { method: 'GET', url: source.url, headers: { ...source.headers } },
        response(answer, earlier, { now }) {
          const step = earlier.length + (isFile ? 1 : 0)
          if (step === 0)
            return next(exchange(subjectOf(textOf(answer.body), (source as { format: SourceFormat }).format)))
          if (impersonation === undefined) return readToken(answer, now)
          if (step === 1) return next(impersonationOf(account, impersonation, readToken(answer, now).token, scope))
          return readAccountToken(answer.body)
        },
      },
      secrets: ({ token }) => [token],
    },
    sign: (_, { token }) => ({ authorization: `Bearer ${token}` }),
  })
}

type SourceFormat = ExternalAccount['credential_source']['format']

/** Scope of a token that may act as a service account. */
const IAM = 'https://www.googleapis.com/auth/cloud-platform'

function hostOf(address: string): string {
  const { protocol, host, origin } = new URL(address)
  return protocol === 'https:' ? host : origin
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? '')
}

function subjectOf(content: string, format: SourceFormat): string {
  const token = format.type === 'text' ? content.trim() : text(fieldOf(content, format.subject_token_field_name))
  if (token) return token
  throw new HeadgateError('our-credential', 'The source of the workload identity has no token.')
}

function fieldOf(content: string, name: string): unknown {
  const json = parse(content)
  return isObject(json) ? json[name] : undefined
}

/** @see https://docs.cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
function exchangeOf({ token_url, audience, subject_token_type }: ExternalAccount, subject: string, scope: string) {
  return postForm(token_url, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience,
    scope,
    subject_token: subject,
    subject_token_type,
  })
}

/** @see https://docs.cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
function impersonationOf(account: ExternalAccount, address: string, token: string, scope: string): HttpRequest {
  const lifetime = account.service_account_impersonation?.token_lifetime_seconds ?? LIFETIME_S
  return {
    method: 'POST',
    url: address,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    body: { bytes: JSON.stringify({ scope: [scope], lifetime: `${lifetime}s` }), type: 'application/json' },
  }
}

function readAccountToken(body: unknown): { readonly token: string; readonly expiresAt: Date } {
  const { accessToken, expireTime } = isObject(body) ? body : {}
  const [token, expiresAt] = [text(accessToken), new Date(text(expireTime) ?? '')]
  if (!token || Number.isNaN(expiresAt.getTime()))
    throw new HeadgateError('our-credential', 'Google Cloud returned no token for the service account.')
  return { token, expiresAt }
}

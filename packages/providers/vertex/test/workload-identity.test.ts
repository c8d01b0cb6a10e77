import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HttpRequest, HttpResponse, Lease } from '@headgate/core/provider'
import { ExternalAccountClient } from 'google-auth-library'
import { describe, expect, it, onTestFinished } from 'vitest'
import { vertex } from '../src/index.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const NOW = new Date('2026-01-02T03:04:05Z')
const ACCOUNT = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/cluster',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
}
const IMPERSONATION =
  'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/headgate@p.iam.gserviceaccount.com:generateAccessToken'

const ANSWERS = [
  { access_token: 'federated', expires_in: 3_600, token_type: 'Bearer' },
  { accessToken: 'account', expireTime: '2026-01-02T04:04:05Z' },
]

interface SentRequest {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly authorization: string | undefined
}

function bodyOf(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : Object.fromEntries([...new URLSearchParams(text)].sort())
}

/** All requests for a token, with the responses of the documentation. */
function ours(account: object, sources: readonly unknown[] = []): readonly SentRequest[] {
  const { credential } = vertex({ project: 'p', location: 'global', key: JSON.stringify(account) })
  const { lease } = credential as unknown as { lease: Lease<unknown> }
  const sent: SentRequest[] = []
  const answers: HttpResponse[] = []
  let request: HttpRequest | undefined = lease.obtain.request({ now: NOW })
  for (const body of [...sources, ...ANSWERS]) {
    if (!request) break
    const { method, url = '', headers, body: given } = request
    const bytes = given && 'bytes' in given ? String(given.bytes) : ''
    sent.push({ method, url, body: bodyOf(bytes), authorization: (headers as Record<string, string>)['authorization'] })
    const answer: HttpResponse = { status: 200, body, headers: {}, bytes: new Uint8Array() }
    const found = lease.obtain.response(answer, answers, { now: NOW })
    answers.push(answer)
    request = 'request' in (found as object) ? (found as { request: HttpRequest }).request : undefined
  }
  return sent
}

/** The requests of Google's own library; nothing of them leaves the machine. */
async function theirs(account: object): Promise<readonly SentRequest[]> {
  const client = ExternalAccountClient.fromJSON({ ...account, scopes: [SCOPE] } as never) ?? expect.unreachable()
  client.scopes = [SCOPE]
  const sent: SentRequest[] = []
  const answer = (url: unknown, options: RequestInit | undefined): Promise<Response> => {
    const headers = new Headers(options?.headers)
    const body = bodyOf(String(options?.body ?? ''))
    const authorization = headers.get('authorization') ?? undefined
    sent.push({ method: options?.method ?? 'GET', url: String(url), body, authorization })
    return Promise.resolve(Response.json(ANSWERS[sent.length - 1]))
  }
  client.transporter.defaults.fetchImplementation = answer
  const { stsCredential } = client as unknown as { stsCredential: { transporter: typeof client.transporter } }
  stsCredential.transporter.defaults.fetchImplementation = answer
  await client.getAccessToken()
  return sent
}

describe('A workload identity of Google Cloud', () => {
  const source = async (content: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'headgate-token-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    writeFileSync(join(folder, 'token'), content)
    return join(folder, 'token')
  }

  it.each(['text', 'json'])('with a token in a file of %s asks what Google’s own library asks', async (type) => {
    const file = await source(type === 'text' ? 'subject-1' : '{"id_token":"subject-1"}')
    const format = type === 'text' ? undefined : { type, subject_token_field_name: 'id_token' }
    const account = { ...ACCOUNT, credential_source: { file, format } }
    const sent = ours(account)
    expect(sent).toEqual(await theirs(account))
    expect(sent).toHaveLength(1)
    expect(sent[0]?.body).toMatchObject({ subject_token: 'subject-1', scope: SCOPE })
  })

  it('with a service account asks what Google’s own library asks', async () => {
    const file = await source('subject-1')
    const account = { ...ACCOUNT, service_account_impersonation_url: IMPERSONATION, credential_source: { file } }
    const sent = ours(account)
    expect(sent).toEqual(await theirs(account))
    expect(sent.map(({ authorization }) => authorization)).toEqual([undefined, 'Bearer federated'])
  })

  it('with a token at a URL reads it first', () => {
    const url = 'http://169.254.169.254/token'
    const account = { ...ACCOUNT, credential_source: { url, headers: { metadata: 'true' } } }
    const sent = ours(account, ['subject-1'])
    expect(sent.map(({ url: at }) => at)).toEqual([url, ACCOUNT.token_url])
    expect(sent[1]?.body).toMatchObject({ subject_token: 'subject-1' })
  })

  it('that runs a program is refused with the field', () => {
    const account = { ...ACCOUNT, credential_source: { executable: { command: 'x' } } }
    expect(() => ours(account)).toThrow('check credential_source')
  })
})

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { HttpRequest, HttpResponse, Lease } from '@headgate/core/provider'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bedrock } from '../src/index.ts'

const ROLE = 'arn:aws:iam::123456789012:role/headgate'
const NOW = new Date('2026-01-02T03:04:05Z')

/** A response of STS, as its documentation has it. */
function assumed(action: string, accessKeyId = 'ASIA1'): HttpResponse {
  const body = `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>
<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
<Expiration>2026-01-02T04:04:05Z</Expiration></Credentials></${action}Result></${action}Response>`
  return { status: 200, body, headers: {}, bytes: Buffer.from(body) }
}

async function tokenPath(token: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-token-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'token')
  writeFileSync(path, `${token}\n`)
  return path
}

function leaseOf(config: object): Lease<unknown> {
  const { credential } = bedrock({ region: 'eu-west-1', ...config } as Parameters<typeof bedrock>[0])
  return (credential as unknown as { lease: Lease<unknown> }).lease
}

/** Request in parts that can be compared. */
function partsOf(method: string, url: URL, headers: Readonly<Record<string, string>>, body: string) {
  const signed = /SignedHeaders=([^,]+)/.exec(headers['authorization'] ?? '')?.[1]?.split(';') ?? []
  return {
    method,
    address: `${url.origin}${url.pathname}${url.search}`,
    form: Object.fromEntries([...new URLSearchParams(body)].sort()),
    scope: /Credential=[^/]+\/([^,]+)/.exec(headers['authorization'] ?? '')?.[1],
    signed,
  }
}

function ours({ method, url = '', headers = {}, body }: HttpRequest) {
  const bytes = body && 'bytes' in body ? String(body.bytes) : ''
  return partsOf(method, new URL(url), headers as Record<string, string>, bytes)
}

/** The request that AWS’s own SDK makes; nothing of it leaves the machine. */
async function theirs(action: string, input: object) {
  const program = fileURLToPath(new URL('aws-requests.ts', import.meta.url))
  const args = [program, NOW.toISOString(), action, JSON.stringify(input)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} })
  const { method, url, headers, body } = JSON.parse(stdout)
  return partsOf(method, new URL(url), headers, body)
}

describe('A web identity of AWS', () => {
  it('asks what AWS’s own SDK asks, with the token that the file has now, and signs with the keys of the role', async () => {
    const path = await tokenPath('token-1')
    const lease = leaseOf({ roleArn: ROLE, webIdentityTokenFile: path, roleSessionName: 'gateway' })
    const expected = (WebIdentityToken: string) =>
      theirs('AssumeRoleWithWebIdentity', { RoleArn: ROLE, RoleSessionName: 'gateway', WebIdentityToken })
    expect(ours(lease.obtain.request({ now: NOW }))).toEqual(await expected('token-1'))
    writeFileSync(path, 'token-2')
    expect(ours(lease.obtain.request({ now: NOW }))).toEqual(await expected('token-2'))
    expect(lease.hosts).toEqual(['sts.eu-west-1.amazonaws.com'])
    const leased = lease.obtain.response(assumed('AssumeRoleWithWebIdentity'), [], { now: NOW })
    expect(leased).toEqual({
      accessKeyId: 'ASIA1',
      secretAccessKey: 'secret',
      sessionToken: 'session',
      expiresAt: new Date('2026-01-02T04:04:05Z'),
    })
    expect(lease.secrets(leased)).toEqual(['secret', 'session'])
  })

  it('says what is wrong with its file or its role', async () => {
    const lease = leaseOf({ roleArn: ROLE, webIdentityTokenFile: '/nothing/token' })
    expect(() => lease.obtain.request({ now: NOW })).toThrow('The token file /nothing/token cannot be read: ENOENT.')
    const empty = { status: 200, body: '<Error/>', headers: {}, bytes: new Uint8Array() }
    expect(() => lease.obtain.response(empty, [], { now: NOW })).toThrow('Check the trust policy of the role.')
  })
})

describe('An assumed role of AWS', () => {
  const assumeRole = { assumeRoleArn: ROLE, externalId: 'partner', roleSessionName: 'gateway' }
  const input = { RoleArn: ROLE, RoleSessionName: 'gateway', ExternalId: 'partner' }

  it('is asked for as AWS’s own SDK does, signed with the keys of the configuration', async () => {
    const lease = leaseOf({ accessKeyId: 'AKIA1', secretAccessKey: 'secret', ...assumeRole })
    const { signed, ...request } = ours(lease.obtain.request({ now: NOW }))
    const { signed: all, ...expected } = await theirs('AssumeRole', input)
    expect(request).toEqual(expected)
    expect(all).toEqual(expect.arrayContaining(signed))
    expect(signed).toEqual(['content-type', 'host', 'x-amz-date'])
    expect(lease.obtain.response(assumed('AssumeRole'), [], { now: NOW })).toMatchObject({ accessKeyId: 'ASIA1' })
  })

  it('follows a web identity, whose keys sign the second request', async () => {
    const path = await tokenPath('token-1')
    const lease = leaseOf({ roleArn: `${ROLE}-pod`, webIdentityTokenFile: path, ...assumeRole })
    const first = assumed('AssumeRoleWithWebIdentity', 'ASIA-POD')
    const step = lease.obtain.response(first, [], { now: NOW }) as { request: HttpRequest }
    expect(ours(step.request).form).toMatchObject({ Action: 'AssumeRole', RoleArn: ROLE, ExternalId: 'partner' })
    expect(JSON.stringify(step.request.headers)).toContain('Credential=ASIA-POD/20260102/eu-west-1/sts/aws4_request')
    expect(lease.obtain.response(assumed('AssumeRole'), [first], { now: NOW })).toMatchObject({ accessKeyId: 'ASIA1' })
  })
})

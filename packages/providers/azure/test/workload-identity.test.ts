import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WorkloadIdentityCredential } from '@azure/identity'
import type { Lease } from '@headgate/core/provider'
import { expect, it, onTestFinished } from 'vitest'
import { azure } from '../src/index.ts'

/** Fields with facts about the library that sends them. */
const OWN = /^(?:x-client-|x-ms-|x-app-|client_info$|claims$|client-request-id$)/

/** Fields of the token request that Azure's own library makes; nothing of it leaves the machine. */
async function theirs(tenantId: string, clientId: string, tokenFilePath: string) {
  let sent: { readonly url: string; readonly method: string; readonly body: string } | undefined
  const credential = new WorkloadIdentityCredential({
    tenantId,
    clientId,
    tokenFilePath,
    disableInstanceDiscovery: true,
    httpClient: {
      sendRequest(request) {
        if (request.method === 'POST') sent = { url: request.url, method: request.method, body: String(request.body) }
        const base = `https://login.microsoftonline.com/${tenantId}`
        const metadata = {
          issuer: `${base}/v2.0`,
          token_endpoint: `${base}/oauth2/v2.0/token`,
          authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
          end_session_endpoint: `${base}/logout`,
          jwks_uri: `${base}/keys`,
        }
        const token = { token_type: 'Bearer', expires_in: 3600, ext_expires_in: 3600, access_token: 't' }
        const bodyAsText = JSON.stringify(request.method === 'POST' ? token : metadata)
        return Promise.resolve({ request, status: 200, headers: request.headers, bodyAsText })
      },
    },
  })
  await credential.getToken('https://cognitiveservices.azure.com/.default')
  const { url, method, body } = sent ?? expect.unreachable()
  const { origin, pathname } = new URL(url)
  const fields = [...new URLSearchParams(body)].filter(([name]) => !OWN.test(name))
  return { method, address: origin + pathname, form: Object.fromEntries(fields.sort()) }
}

it('A federated token of a pod asks what Azure’s own library asks, with the token that the file has now', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-token-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const federatedTokenFile = join(folder, 'token')
  const [tenantId, clientId] = ['11111111-2222-3333-4444-555555555555', '66666666-7777-8888-9999-000000000000']
  writeFileSync(federatedTokenFile, 'assertion-1\n')
  const { credential } = azure({ resource: 'r', tenantId, clientId, federatedTokenFile })
  const { lease } = credential as unknown as { lease: Lease<unknown> }
  for (const assertion of ['assertion-1', 'assertion-2']) {
    writeFileSync(federatedTokenFile, `${assertion}\n`)
    const { method, url, body } = lease.obtain.request({ now: new Date() })
    const form = [...new URLSearchParams(body && 'bytes' in body ? String(body.bytes) : '')].sort()
    expect(Object.fromEntries(form)['client_assertion']).toBe(assertion)
    const expected = await theirs(tenantId, clientId, federatedTokenFile)
    // The library adds scopes for signed-in users, which have no meaning for an app.
    const { scope = '', ...others } = expected.form
    expect({ method, address: url, form: Object.fromEntries(form) }).toEqual({
      ...expected,
      form: { ...others, scope: scope.split(' ')[0]?.trim() },
    })
  }
})

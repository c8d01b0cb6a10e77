import { isObject } from '../json.ts'
import type { UpstreamReply } from '../upstream.ts'
import { type Check, distinct, type RemoteTarget } from './check.ts'

/** Sends a request that needs the provider's credential. */
export type CredentialProbe = (harness: RemoteTarget['harness']) => Promise<{ readonly status: number }>

/** Checks of a leased credential. `ask` can be any caller's request. */
export const leaseCheck = (ask: CredentialProbe): Check<RemoteTarget> => ({
  name: 'obtains its credential once, and reports failures to obtain it',
  async run({ open }) {
    const harness = await open()
    const findings: string[] = []
    try {
      const odd: UpstreamReply[] = [
        { kind: 'whole', body: {} },
        { kind: 'whole', body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } },
        { kind: 'whole', status: 400, body: { error: 'invalid_grant' } },
      ]
      for (const reply of odd) {
        harness.issuer.answer(reply)
        harness.upstream.answer({ kind: 'whole', body: {} })
        const { status } = await ask(harness)
        if (status !== 500 || harness.upstream.received.length > 0)
          findings.push(
            `When the credential's issuer ${reply.kind === 'whole' && isObject(reply.body) ? 'returns no credential' : 'fails'}, callers get status ${status}, expected 500: \`obtain.response\` must throw if the response has no credential or no expiry.`,
          )
      }
    } finally {
      await harness.close()
    }
    const again = await open()
    try {
      for (let nth = 0; nth < 3; nth++) await ask(again)
      const { received } = again.issuer
      const due = new Set(received.map(({ method, path }) => `${method} ${path}`)).size
      if (received.length === 0)
        findings.push('No credential was requested: `lease.obtain` must send a request to one of `lease.hosts`.')
      if (received.length > due)
        findings.push(
          'The credential is obtained again for every request: `expiresAt` must be the time it expires, not an earlier one.',
        )
    } finally {
      await again.close()
    }
    return distinct(findings)
  },
})

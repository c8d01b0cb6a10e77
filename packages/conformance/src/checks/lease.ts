import { isObject } from '../json.ts'
import type { Reply } from '../upstream.ts'
import { type Check, distinct, type RemoteSubject } from './check.ts'

/** Sends a request that needs the provider's credential. */
export type Asking = (bench: RemoteSubject['bench']) => Promise<{ readonly status: number }>

/** Checks of a leased credential. `ask` can be any caller's request. */
export const leaseCheck = (ask: Asking): Check<RemoteSubject> => ({
  name: 'obtains its credential once, and reports failures to obtain it',
  async run({ open }) {
    const bench = await open()
    const findings: string[] = []
    try {
      const odd: Reply[] = [
        { kind: 'whole', body: {} },
        { kind: 'whole', body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } },
        { kind: 'whole', status: 400, body: { error: 'invalid_grant' } },
      ]
      for (const reply of odd) {
        bench.issuer.answer(reply)
        bench.upstream.answer({ kind: 'whole', body: {} })
        const { status } = await ask(bench)
        if (status !== 500 || bench.upstream.received.length > 0)
          findings.push(
            `When the credential's issuer ${reply.kind === 'whole' && isObject(reply.body) ? 'returns no credential' : 'fails'}, callers get status ${status}, expected 500: \`obtain.response\` must throw if the response has no credential or no expiry.`,
          )
      }
    } finally {
      await bench.close()
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

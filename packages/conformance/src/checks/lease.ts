import { isObject } from '../json.ts'
import type { Reply } from '../upstream.ts'
import { type Check, distinct, type RemoteSubject } from './check.ts'

/** Asks for something of the provider that needs its credential. */
export type Asking = (bench: RemoteSubject['bench']) => Promise<{ readonly status: number }>

/** What a leased credential is obtained by. `ask` is any request of a caller. */
export const leaseCheck = (ask: Asking): Check<RemoteSubject> => ({
  name: 'obtains its credential once, and says so where it can not',
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
            `Where the credential is obtained ${reply.kind === 'whole' && isObject(reply.body) ? 'an answer holds none' : 'no such answer comes'}, and callers get status ${status}, due is 500: \`obtain.response\` must throw where it finds no credential, or no end of it.`,
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
      if (received.length === 0) findings.push('Nothing was obtained: `lease.obtain` must ask one of `lease.hosts`.')
      if (received.length > due)
        findings.push(
          'The credential is obtained for every request anew: `expiresAt` must be when it ends, and not before.',
        )
    } finally {
      await again.close()
    }
    return distinct(findings)
  },
})

import { hold, type RemoteSearchSubject, type SearchCheck, said } from './check.ts'

/** Transport, checked before everything that uses it. */
export const reachCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'reaches its vendor',
  isGate: true,
  async run(subject) {
    const { bench } = subject
    hold(subject, [])
    const found = await bench.search({ q: 'gateways' })
    return bench.upstream.received.length > 0
      ? []
      : [
          `No request reached the vendor: ${said(found)}. Fix \`baseUrl\`, the request's \`url\` and \`credential\` first.`,
        ]
  },
}

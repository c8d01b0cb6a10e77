import { hold, type RemoteSearchSubject, type SearchCheck, said } from './check.ts'

/** The transport, before anything that goes over it. */
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
          `No request got to the vendor: ${said(found)}. Mend \`baseUrl\`, the request's \`url\` and \`credential\` first.`,
        ]
  },
}

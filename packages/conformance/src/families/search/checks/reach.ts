import { hold, type RemoteSearchTarget, type SearchCheck, said } from './check.ts'

/** Transport, checked before everything that uses it. */
export const reachCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'reaches its vendor',
  isGate: true,
  async run(target) {
    const { harness } = target
    hold(target, [])
    const found = await harness.search({ q: 'gateways' })
    return harness.upstream.received.length > 0
      ? []
      : [
          `No request reached the vendor: ${said(found)}. Fix \`baseUrl\`, the request's \`url\` and \`credential\` first.`,
        ]
  },
}

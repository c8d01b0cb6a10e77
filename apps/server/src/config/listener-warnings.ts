import { isWithin } from '@headgate/gateway/ports'
import type { Settings } from './settings.ts'

/** Warnings about connections that probes or people cannot use, and about proxies that are trusted twice. */
export function listenerWarnings({ config: { server = {} }, publicUrl }: Settings): string[] {
  const { tls, proxyProtocol = [], trustedProxies = [], healthPort } = server
  const twice = proxyProtocol.filter((one) => !one.includes('/') && isWithin(trustedProxies, one))
  return [
    ...(tls?.clients && healthPort === undefined
      ? ['server.tls.clients: probes without a certificate cannot read /healthz and /readyz. Set server.healthPort.']
      : []),
    ...(proxyProtocol.length > 0 && healthPort === undefined
      ? ['server.proxyProtocol: probes that send no header of the PROXY protocol are refused. Set server.healthPort.']
      : []),
    ...(tls && publicUrl?.startsWith('http:')
      ? [`HEADGATE_PUBLIC_URL is ${publicUrl}, but server.tls serves HTTPS only. Begin it with https://.`]
      : []),
    ...twice.map(
      (one) =>
        `server.trustedProxies: ${one} also sends the PROXY protocol, which names the caller. Remove it, unless a proxy in front of it sets X-Forwarded-For.`,
    ),
  ]
}

import type { Core } from './core.ts'

/**
 * Opens a connection to each endpoint of the providers, so that the first requests need not wait for it. Nothing is
 * sent.
 */
export function preconnect({ instances, upstreams }: Pick<Core, 'instances' | 'upstreams'>): void {
  const origins = new Set<string>()
  for (const { endpoints } of instances)
    for (const { provider } of endpoints) {
      const { baseUrl } = provider
      if (baseUrl !== undefined && URL.canParse(baseUrl)) origins.add(new URL(baseUrl).origin)
    }
  for (const origin of origins) upstreams.preconnect(origin)
}

import { z } from 'zod'

/** The base URL of a server, without a slash at its end. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be a whole http or https URL' })
  .overwrite((url) => url.replace(/\/+$/, ''))

/** A credential in one word. */
export const apiKey = z.string().trim().min(1, 'must not be empty')

/** The config that nearly every adapter of a remote service has: spread it into its strict object. */
export function endpoint(url: string) {
  return { apiKey, baseUrl: baseUrl.default(url) }
}

/** The environment variables of {@link endpoint}: `<ID>_API_KEY` and `<ID>_BASE_URL` in upper snake. */
export function endpointEnv(id: string): { readonly apiKey: readonly [string]; readonly baseUrl: readonly [string] } {
  const prefix = id.toUpperCase().replaceAll('-', '_')
  return { apiKey: [`${prefix}_API_KEY`], baseUrl: [`${prefix}_BASE_URL`] }
}

import { z } from 'zod'
import { isObject } from '../canonical/json.ts'

/** The base URL of a server, without a slash at its end. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' })
  .overwrite((url) => url.replace(/\/+$/, ''))

/** A credential in one word. */
export const apiKey = z.string().trim().min(1, 'must not be empty')

/** The config that nearly every adapter of a remote service has: spread it into its strict object. */
export function endpoint(url: string) {
  return { apiKey, baseUrl: baseUrl.default(url) }
}

/**
 * A value that a config must lead to, for the `transform` of its schema: the adapter gets it checked.
 * @param path field to name in the error; absent = the whole config.
 * @returns the value; if it is undefined, the config is refused with the message.
 */
export function required<T>(value: T | undefined, context: z.RefinementCtx, message: string, path?: string): T {
  if (value !== undefined) return value
  context.addIssue({ code: 'custom', message, ...(path !== undefined && { path: [path] }) })
  return z.NEVER
}

/** The environment variables of {@link endpoint}: `<ID>_API_KEY` and `<ID>_BASE_URL` in upper snake. */
export function endpointEnv(id: string): { readonly apiKey: readonly [string]; readonly baseUrl: readonly [string] } {
  const prefix = id.toUpperCase().replaceAll('-', '_')
  return { apiKey: [`${prefix}_API_KEY`], baseUrl: [`${prefix}_BASE_URL`] }
}

/**
 * What an adapter makes of a config, and whether it is elsewhere than the adapter's own base URL. @throws ZodError when
 * the config is wrong.
 */
export function built<S extends z.ZodType, T extends object>(
  schema: S,
  config: z.input<S>,
  build: (config: z.output<S>) => T,
): T & { readonly isElsewhere?: boolean } {
  const parsed = schema.parse(config)
  return { ...build(parsed), ...(isElsewhere(schema, config, parsed) && { isElsewhere: true }) }
}

function isElsewhere(schema: z.ZodType, config: unknown, parsed: unknown): boolean {
  if (!isObject(config) || config['baseUrl'] === undefined || !isObject(parsed)) return false
  const { baseUrl: _, ...rest } = config
  const own = schema.safeParse(rest).data
  return !isObject(own) || own['baseUrl'] !== parsed['baseUrl']
}

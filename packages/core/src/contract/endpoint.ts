import { z } from 'zod'
import { isObject } from '../canonical/json.ts'

/** Base URL of a server, without a trailing slash. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' })
  .overwrite((url) => url.replace(/\/+$/, ''))

/** Credential that is one string. */
export const apiKey = z.string().trim().min(1, 'must not be empty')

/**
 * Configuration fields of an adapter for a remote service: `apiKey`, and `baseUrl` with a default.
 * @example const config = z.strictObject({ ...endpoint('https://api.example.com/v1') })
 */
export function endpoint(url: string) {
  return { apiKey, baseUrl: baseUrl.default(url) }
}

/**
 * Required result of a configuration, for the `transform` of its schema.
 * @param path field that the error names. Absent: the whole configuration.
 * @returns the value. If it is undefined, the configuration is rejected with the message.
 * @example config.transform((fields, context) => required(credentialOf(fields), context, 'Set apiKey or token.'))
 */
export function required<T>(value: T | undefined, context: z.RefinementCtx, message: string, path?: string): T {
  if (value !== undefined) return value
  context.addIssue({ code: 'custom', message, ...(path !== undefined && { path: [path] }) })
  return z.NEVER
}

/**
 * Environment variables of {@link endpoint}: `<ID>_API_KEY` and `<ID>_BASE_URL`, in upper case.
 * @example endpointEnv('acme-ai') // { apiKey: ['ACME_AI_API_KEY'], baseUrl: ['ACME_AI_BASE_URL'] }
 */
export function endpointEnv(id: string): { readonly apiKey: readonly [string]; readonly baseUrl: readonly [string] } {
  const prefix = id.toUpperCase().replaceAll('-', '_')
  return { apiKey: [`${prefix}_API_KEY`], baseUrl: [`${prefix}_BASE_URL`] }
}

/**
 * Description that an adapter builds from a configuration, with `mayLoop` if its base URL is not the default.
 * @throws ZodError if the configuration is invalid.
 */
export function built<S extends z.ZodType, T extends object>(
  schema: S,
  config: z.input<S>,
  build: (config: z.output<S>) => T,
): T & { readonly mayLoop?: boolean } {
  const parsed = schema.parse(config)
  return { ...build(parsed), ...(mayLoop(schema, config, parsed) && { mayLoop: true }) }
}

function mayLoop(schema: z.ZodType, config: unknown, parsed: unknown): boolean {
  if (!isObject(config) || config['baseUrl'] === undefined || !isObject(parsed)) return false
  const { baseUrl: _, ...rest } = config
  const own = schema.safeParse(rest).data
  return !isObject(own) || own['baseUrl'] !== parsed['baseUrl']
}

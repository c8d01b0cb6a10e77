import { z } from '@hono/zod-openapi'
import { StoredRates } from './prices.ts'
import { Instant, listOf } from './schemas.ts'

const Count = z.int().min(1)
export const RateLimitOf = z
  .object({ requestsPerMinute: Count.optional(), tokensPerMinute: Count.optional(), concurrent: Count.optional() })
  .openapi('RateLimit')

const Server = z.object({
  provider: z.string().openapi({ description: 'Name of the provider instance.' }),
  model: z.string().openapi({ description: 'Name of the model at the provider.' }),
  formats: listOf(z.string()).optional().openapi({ description: 'Native formats.' }),
  families: listOf(z.string()).optional(),
  context: z.int().optional(),
  output: z.int().optional(),
  inputs: listOf(z.string()).optional(),
  tools: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  price: z
    .object({ id: z.string(), ...StoredRates.shape })
    .nullable()
    .openapi({ description: 'Null = unknown, which does not mean free.' }),
  limits: RateLimitOf.optional().openapi({ description: 'Known rate limits of the provider.' }),
  observed: z
    .object({
      since: Instant.openapi({ description: 'Time of the oldest counted request, at most seven days ago.' }),
      requests: z.int(),
      failures: z.int().openapi({ description: 'Requests that failed at the provider.' }),
      firstByteMs: z
        .object({ p50: z.number(), p95: z.number() })
        .nullable()
        .openapi({ description: 'Time of streamed responses; null if there were none.' }),
    })
    .optional()
    .openapi({
      description: 'Statistics of the newest requests of all callers, at most a minute old; absent = no requests.',
    }),
})

const Target = z.object({
  model: z.string(),
  weight: z.number().optional().openapi({ description: 'Part of the requests under the policy `weighted`.' }),
  on: listOf(z.string()).optional().openapi({ description: 'Failures of other models after which it is tried.' }),
})

const Alias = z
  .object({
    targets: listOf(Target).openapi({ description: 'Models in order of preference.' }),
    policy: z.string().openapi({ description: 'Order of the endpoints.' }),
    policyFrom: z.enum(['alias', 'routing', 'default']).openapi({
      description: 'Place of the policy: the alias, `routing.policy` of the configuration, or the default.',
    }),
    minContext: z.int().optional(),
    maxPrice: z
      .object({ input: z.number().optional(), output: z.number().optional() })
      .optional()
      .openapi({ description: 'US dollars per million tokens.' }),
    labels: z
      .record(z.string(), listOf(z.union([z.string(), z.boolean()])))
      .optional()
      .openapi({
        description: 'Permitted values of labels of endpoints.',
      }),
    firstByte: z.int().optional().openapi({ description: 'Milliseconds until the response of an upstream begins.' }),
    hedge: z.boolean().optional(),
  })
  .openapi('ModelAlias')

/** Model that callers can name. Absent fields are unknown. */
export const ManagementModel = z
  .object({
    id: z.string(),
    aliasOf: listOf(z.string()).optional(),
    alias: Alias.optional().openapi({ description: 'Definition of an alias in the configuration.' }),
    providers: listOf(Server).openapi({ description: 'Providers in the order in which they are called.' }),
    limits: RateLimitOf.optional().openapi({ description: 'Rate limits of the model in this gateway.' }),
  })
  .openapi('Model')

/** States of an enabled provider or endpoint. */
const HEALTH_STATES = ['healthy', 'degraded', 'failing', 'cooldown', 'unknown'] as const
const STATES_TEXT =
  'By the calls of the last 15 minutes on all nodes. `failing`: the last 5 failed, or half of at least 10. `degraded`: 5 % of at least 20 failed, or all of fewer than 5. `cooldown`: this node tries it last. `unknown`: no calls.'
const HealthState = z.enum(HEALTH_STATES).openapi({ description: STATES_TEXT })

const Trouble = z
  .object({
    at: Instant,
    kind: z.string().openapi({ description: 'Kind of the failure, such as `overloaded`.' }),
    status: z
      .int()
      .optional()
      .openapi({ description: 'HTTP status of the provider’s response; absent without a response.' }),
    code: z.string().optional().openapi({ description: 'The provider’s error code, at most 64 characters.' }),
    request: z.string().optional().openapi({ description: 'Id of the request; absent if it is unknown or not yours.' }),
  })
  .openapi('Trouble', { description: 'A failure without its message, which may quote a prompt.' })

/** Endpoint of a provider: one credential, base URL and region. */
const ManagementEndpoint = z
  .object({
    name: z.string().optional().openapi({ description: 'Absent if the provider has only one endpoint.' }),
    state: HealthState,
    calls: z.int().optional().openapi({ description: 'Calls of the last 15 minutes on all nodes.' }),
    failed: z.int().optional().openapi({ description: 'Calls of these that failed because of the provider.' }),
    restsUntil: Instant.optional().openapi({ description: 'End of the cooldown: until then it is tried last.' }),
    lastError: Trouble.optional().openapi({ description: 'Newest failure of all of its models.' }),
    labels: z
      .record(z.string(), z.string())
      .readonly()
      .optional()
      .openapi({ example: { region: 'eu' } }),
    priority: z.int().optional().openapi({ description: 'Lower numbers are tried first; absent = 0.' }),
    weight: z.number().optional().openapi({ description: 'Part of the requests under `weighted`; absent = 1.' }),
    group: z.string().optional().openapi({ description: 'Account of the credential; absent = a separate account.' }),
    inFlight: z.int().optional().openapi({ description: 'Open calls.' }),
    limits: listOf(
      z.object({
        model: z.string().optional().openapi({ description: 'Model at the provider; absent = all models.' }),
        concurrent: z.int().optional().openapi({ description: 'Adaptive limit on open calls.' }),
        requests: z.int().optional().openapi({ description: 'Remaining requests.' }),
        tokens: z.int().optional().openapi({ description: 'Remaining tokens.' }),
        resetAt: Instant.optional().openapi({ description: 'Time at which the upstream restores the limit.' }),
      }),
    )
      .optional()
      .openapi({ description: 'Upstream limits as last reported by the upstream, 20 at most.' }),
  })
  .openapi('ProviderEndpoint')

/** Installed provider or search backend. */
export const ManagementProvider = z
  .object({
    name: z.string().openapi({ description: 'Name of the provider instance.' }),
    adapter: z.string(),
    kind: z.enum(['provider', 'search']),
    families: listOf(z.string()),
    state: z.enum([...HEALTH_STATES, 'no-credential', 'off']).openapi({
      description: `${STATES_TEXT} \`no-credential\`: its API key is not set. \`off\`: not enabled.`,
    }),
    why: z.string().openapi({ description: 'Reason why it is enabled or not.' }),
    package: z.object({ name: z.string(), version: z.string() }).openapi({ description: 'Package of the adapter.' }),
    restsUntil: Instant.optional().openapi({ description: 'End of the cooldown: until then it is tried last.' }),
    lastError: Trouble.optional().openapi({ description: 'Last failure within 48 hours.' }),
    calls: z.int().optional().openapi({ description: 'Calls of the last 15 minutes on all nodes.' }),
    failed: z.int().optional().openapi({ description: 'Calls of these that failed because of the provider.' }),
    saved: z.int().optional().openapi({ description: 'Failed calls of these whose requests another call served.' }),
    since: Instant.optional().openapi({ description: 'Start of the current failures, within a minute.' }),
    p50FirstByteMs: z.int().optional(),
    p95FirstByteMs: z
      .int()
      .optional()
      .openapi({ description: 'Time to the first byte of streamed responses within 15 minutes.' }),
    minutes: listOf(z.object({ start: Instant, calls: z.int(), failed: z.int() }))
      .optional()
      .openapi({ description: 'Calls of the last 30 minutes, oldest minute first.' }),
    endpoints: listOf(ManagementEndpoint)
      .optional()
      .openapi({ description: 'Endpoints in the order of the configuration; absent if the provider is not enabled.' }),
    troubled: listOf(
      z.object({
        model: z.string(),
        endpoint: z.string().optional(),
        restsUntil: Instant.optional(),
        lastError: Trouble.optional(),
      }),
    )
      .optional()
      .openapi({
        description:
          'Models in cooldown or with recent failures, by their names at the provider; newest first, 100 at most.',
      }),
    overruns: listOf(
      z.object({
        model: z.string(),
        endpoint: z.string().optional(),
        count: z.int(),
        at: Instant,
        limit: z.int(),
        output: z.int(),
      }),
    )
      .optional()
      .openapi({
        description:
          'Models whose responses had more output tokens than the limit of their request, within the last day: their number, and limit and output of the last one. Budgets reserve more for these models. Newest first, 100 at most.',
      }),
    credential: z.enum(['file', 'environment', 'stored', 'none']).optional().openapi({
      description:
        'Source of the credential of an enabled provider. `stored`: an owner entered it. `none`: it needs none.',
    }),
    variables: listOf(z.object({ name: z.string(), isSet: z.boolean() })).optional(),
  })
  .openapi('Provider')

/** Result of one check of the gateway. */
export const ManagementFinding = z
  .object({
    state: z.enum(['ok', 'note', 'wrong']).openapi({ description: '`note`: it works, but needs attention.' }),
    about: z
      .string()
      .openapi({ description: 'Subject of the check: `config`, `data`, `store`, `secret`, `clock`, or a provider.' }),
    text: z.string(),
    advice: z.string().optional(),
  })
  .openapi('Finding')

/** Configuration that a node serves with. */
export const LoadedConfiguration = z
  .object({
    checksum: z.string().optional().openapi({
      description:
        'SHA-256 of the configuration file in hexadecimal digits, as `sha256sum` prints it. Absent = no file.',
    }),
    loadedAt: Instant.optional().openapi({
      description: 'Time of the start or the last reload, in Unix milliseconds.',
    }),
  })
  .openapi('LoadedConfiguration')

export const ConfiguredBound = z.object({ id: z.string(), limits: RateLimitOf })

export type ManagementModel = z.infer<typeof ManagementModel>
export type ManagementProvider = z.infer<typeof ManagementProvider>
export type ManagementFinding = z.infer<typeof ManagementFinding>
export type LoadedConfiguration = z.infer<typeof LoadedConfiguration>
export type ConfiguredBound = z.infer<typeof ConfiguredBound>

/** Facts that only the gateway knows. */
export interface ManagementFacts {
  configuration(): LoadedConfiguration
  models(): readonly ManagementModel[] | Promise<readonly ManagementModel[]>
  providers(): readonly ManagementProvider[] | Promise<readonly ManagementProvider[]>
  /** Runs all checks of the gateway. */
  doctor(): Promise<readonly ManagementFinding[]>
  /** Configured limits by project name and model pattern. */
  limits(): { readonly projects: readonly ConfiguredBound[]; readonly models: readonly ConfiguredBound[] }
}

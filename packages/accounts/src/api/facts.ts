import { z } from '@hono/zod-openapi'
import { StoredRates } from './prices.ts'
import { Instant, listOf } from './schemas.ts'

const Count = z.int().min(1)
export const RateLimitOf = z
  .object({ requestsPerMinute: Count.optional(), tokensPerMinute: Count.optional(), concurrent: Count.optional() })
  .openapi('RateLimit')

const Server = z.object({
  provider: z.string().openapi({ description: 'Name of the instance.' }),
  model: z.string().openapi({ description: 'The provider’s own name of the model.' }),
  formats: listOf(z.string()).optional().openapi({ description: 'Formats that it speaks natively.' }),
  families: listOf(z.string()).optional(),
  context: z.int().optional(),
  output: z.int().optional(),
  inputs: listOf(z.string()).optional(),
  tools: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  price: z
    .object({ id: z.string(), ...StoredRates.shape })
    .nullable()
    .openapi({ description: 'Null = nobody knows what it costs, which is not nothing.' }),
  limits: RateLimitOf.optional().openapi({ description: 'What the provider is known to allow.' }),
  observed: z
    .object({
      since: Instant.openapi({ description: 'Of the oldest request that counts: seven days ago at most.' }),
      requests: z.int(),
      failures: z.int().openapi({ description: 'Those that the provider failed.' }),
      firstByteMs: z
        .object({ p50: z.number(), p95: z.number() })
        .nullable()
        .openapi({ description: 'Of streamed answers; null where there was none.' }),
    })
    .optional()
    .openapi({
      description: 'How it has been, by the newest requests of all; absent = there was none. At most a minute old.',
    }),
})

/** A model that callers can name. What is absent is not known. */
export const Model = z
  .object({
    id: z.string(),
    aliasOf: listOf(z.string()).optional(),
    providers: listOf(Server).openapi({ description: 'Who serves it, in the order in which they are asked.' }),
    limits: RateLimitOf.optional().openapi({ description: 'How much may be asked of it here.' }),
  })
  .openapi('Model')

const Trouble = z
  .object({
    at: Instant,
    kind: z.string().openapi({ description: 'Kind of the failure, such as `overloaded`.' }),
    status: z
      .int()
      .optional()
      .openapi({ description: 'HTTP status of the provider’s response; absent if there was none.' }),
    code: z.string().optional().openapi({ description: 'The provider’s error code, at most 64 characters.' }),
  })
  .openapi('Trouble', { description: 'A failure, without its message: that may quote a prompt.' })

/** A provider or search backend that is installed. */
export const Provider = z
  .object({
    name: z.string().openapi({ description: 'Name of the instance.' }),
    adapter: z.string(),
    kind: z.enum(['provider', 'search']),
    families: listOf(z.string()),
    state: z.enum(['up', 'resting', 'no-credential', 'off']),
    why: z.string().openapi({ description: 'Why it is used, or is not.' }),
    package: z.object({ name: z.string(), version: z.string() }).openapi({ description: 'What brings its adapter.' }),
    restsUntil: Instant.optional().openapi({ description: 'Others are asked first until then.' }),
    lastError: Trouble.optional(),
    troubled: listOf(z.object({ model: z.string(), restsUntil: Instant.optional(), lastError: Trouble.optional() }))
      .optional()
      .openapi({
        description: 'Its models that rest, or have failed lately, by its own names: the newest first, 100 at most.',
      }),
    overruns: listOf(z.object({ model: z.string(), count: z.int(), at: Instant, limit: z.int(), output: z.int() }))
      .optional()
      .openapi({
        description:
          'Models whose responses had more output tokens than the limit of their request, within the last day: how many, and limit and output of the last one. Budgets reserve more for them. The newest first, 100 at most.',
      }),
    variables: listOf(z.object({ name: z.string(), isSet: z.boolean() })).optional(),
  })
  .openapi('Provider')

/** What one check of the gateway found. */
export const Finding = z
  .object({
    state: z.enum(['ok', 'note', 'wrong']).openapi({ description: '`note`: it works, and somebody should know.' }),
    about: z.string().openapi({ description: '`config`, `data`, `store`, `secret`, `clock`, or a provider.' }),
    text: z.string(),
    advice: z.string().optional(),
  })
  .openapi('Finding')

const Bound = z.object({ id: z.string(), limits: RateLimitOf })

export type Model = z.infer<typeof Model>
export type Provider = z.infer<typeof Provider>
export type Finding = z.infer<typeof Finding>
export type Bound = z.infer<typeof Bound>

/** What only the gateway knows. */
export interface Facts {
  models(): readonly Model[] | Promise<readonly Model[]>
  providers(): readonly Provider[] | Promise<readonly Provider[]>
  /** Checks all that it needs. */
  doctor(): Promise<readonly Finding[]>
  /** Limits of the configuration: by name of the project, and by pattern of models. */
  limits(): { readonly projects: readonly Bound[]; readonly models: readonly Bound[] }
}

export const ConfiguredBound = Bound

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
    .optional()
    .openapi({ description: 'Absent = nobody knows what it costs.' }),
  limits: RateLimitOf.optional().openapi({ description: 'What the provider is known to allow.' }),
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

/** A provider or search backend that is installed. */
export const Provider = z
  .object({
    name: z.string().openapi({ description: 'Name of the instance.' }),
    adapter: z.string(),
    kind: z.enum(['provider', 'search']),
    families: listOf(z.string()),
    state: z.enum(['up', 'resting', 'no-credential', 'off']),
    restsUntil: Instant.optional(),
    lastError: z
      .object({ at: Instant, kind: z.string(), message: z.string() })
      .optional()
      .openapi({ description: 'The provider’s own words, without secrets.' }),
    variables: listOf(z.object({ name: z.string(), isSet: z.boolean() })).optional(),
  })
  .openapi('Provider')

const Bound = z.object({ id: z.string(), limits: RateLimitOf })

export type Model = z.infer<typeof Model>
export type Provider = z.infer<typeof Provider>
export type Bound = z.infer<typeof Bound>

/** What only the gateway knows. */
export interface Facts {
  models(): readonly Model[] | Promise<readonly Model[]>
  providers(): readonly Provider[] | Promise<readonly Provider[]>
  /** Limits of the configuration: by name of the project, and by pattern of models. */
  limits(): { readonly projects: readonly Bound[]; readonly models: readonly Bound[] }
}

export const ConfiguredBound = Bound

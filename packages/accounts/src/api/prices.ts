import { z } from '@hono/zod-openapi'
import { Instant } from './schemas.ts'

const Nanos = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .openapi({ description: 'Nano-dollars per million tokens, or per unit.' })
const tokens = {
  input: Nanos,
  output: Nanos,
  cacheRead: Nanos.optional(),
  cacheWrite: Nanos.optional(),
  cacheWriteLong: Nanos.optional(),
  audioInput: Nanos.optional(),
  audioCached: Nanos.optional(),
  audioOutput: Nanos.optional(),
  imageInput: Nanos.optional(),
  imageOutput: Nanos.optional(),
}
const Tariff = z.strictObject({ ...tokens, long: z.strictObject({ ...tokens, above: Nanos }).optional() })
const UnitName = z.string().min(1).max(100)

/** What something costs: as a price of the configuration. */
export const StoredRates = z
  .strictObject({
    ...Tariff.shape,
    units: z.record(UnitName, Nanos).optional(),
    tiers: z.record(UnitName, z.union([Tariff, z.strictObject({ factor: z.number().min(0).max(1_000) })])).optional(),
    minimum: Nanos.optional(),
  })
  .openapi('Rates')

export const PriceOverride = z
  .object({
    id: z.string(),
    provider: z.string().openapi({ description: 'Name of the instance.' }),
    model: z.string().openapi({ description: 'The provider’s own name of the model.' }),
    source: z.enum(['store', 'config']).openapi({ description: 'One of the configuration is changed there.' }),
    validFrom: Instant.openapi({ description: 'Unix milliseconds; `If-Match` has it in quotes.' }),
    rates: StoredRates.nullable().openapi({ description: 'Null = from then on this source has no price.' }),
  })
  .openapi('PriceOverride')

export type OverrideRates = z.infer<typeof StoredRates>

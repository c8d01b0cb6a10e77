import { z } from '@hono/zod-openapi'
import { Instant } from './schemas.ts'

const Nanos = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .openapi({ description: 'Nano-dollars per million tokens or units.' })
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
/** Prices of a million units, up to a billion dollars. */
const UnitPrices = z.record(
  UnitName,
  z
    .number()
    .min(0)
    .max(1e18)
    .refine(Number.isInteger, 'Enter whole nano-dollars.')
    .openapi({ type: 'integer', description: 'Nano-dollars per million units.' }),
)

/** Rates, as for a configured price. */
export const StoredRates = z
  .strictObject({
    ...Tariff.shape,
    units: UnitPrices.optional(),
    variants: z.record(UnitName, UnitPrices).optional().openapi({
      description: 'Prices by variant of the response, such as `2K`. A unit with a price here has no other price.',
    }),
    least: z.record(UnitName, Nanos).optional().openapi({ description: 'Minimum counts of a request, by unit.' }),
    tiers: z.record(UnitName, z.union([Tariff, z.strictObject({ factor: z.number().min(0).max(1_000) })])).optional(),
    minimum: Nanos.optional(),
  })
  .openapi('Rates')

export const PriceOverride = z
  .object({
    id: z.string(),
    provider: z.string().openapi({ description: 'Name of the provider instance.' }),
    model: z.string().openapi({ description: 'Name of the model at the provider.' }),
    source: z.enum(['store', 'config']).openapi({ description: '`config`: can be changed only in the configuration.' }),
    validFrom: Instant.openapi({ description: 'Unix milliseconds; send it in quotes in `If-Match`.' }),
    rates: StoredRates.nullable().openapi({ description: 'Null = this source has no price from then on.' }),
  })
  .openapi('PriceOverride')

export type OverrideRates = z.infer<typeof StoredRates>

import { z } from 'zod'

const Cost = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number().optional(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
  input_audio: z.number().optional(),
  output_audio: z.number().optional(),
})

/** Used facts of a model at models.dev. Costs are US dollars per million tokens. */
const Model = z.object({
  status: z.string().optional(),
  family: z.string().optional(),
  release_date: z.string().optional(),
  tool_call: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  temperature: z.boolean().optional(),
  reasoning_options: z.array(z.object({ values: z.array(z.string().nullable()).optional() })).optional(),
  cost: Cost.extend({
    tiers: z.array(Cost.partial({ output: true }).extend({ tier: z.object({ size: z.number() }) })).optional(),
  }).optional(),
  limit: z.object({ context: z.number(), output: z.number() }),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }),
})
export type ListedModel = z.infer<typeof Model>
export type ListedCost = z.infer<typeof Cost>

/** Provider at models.dev: its models by id. */
export const Listing = z.object({ models: z.record(z.string(), Model) })
export type Listing = z.infer<typeof Listing>

/** Providers of models.dev by id. */
export const Catalog = z.record(z.string(), z.unknown())

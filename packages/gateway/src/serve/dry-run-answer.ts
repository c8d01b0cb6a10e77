import { z } from 'zod'

const Loss = z.object({
  path: z.string().describe('As in `headgate-lost`, with indices.'),
  kind: z.enum(['dropped', 'changed']),
  reason: z.string(),
  count: z.number().optional().describe('How many losses it stands for; default 1.'),
})

const Refused = z.object({ kind: z.string(), message: z.string(), param: z.string().nullable() })

const Candidate = z.object({
  provider: z.string(),
  model: z.string().describe('The provider’s own name of it.'),
  healthy: z.boolean().describe('False: it failed lately, and is asked after the others.'),
  refused: Refused.nullable().describe('Why it would not be asked; null: it would.'),
  way: z
    .enum(['bytes', 'translated', 'in-process'])
    .nullable()
    .describe('How the request goes there; null where it does not.'),
  losses: z.array(Loss).describe('What is dropped or changed on that way.'),
  fetches: z.array(z.string()).describe('Paths of media that would be fetched first.'),
  price: z.string().nullable().describe('Id of the price that would be applied; null where none is known.'),
  most: z
    .record(z.string(), z.number())
    .nullable()
    .describe('The most that one call can use: tokens and units. What nobody knows is left out.'),
  bound: z
    .string()
    .nullable()
    .describe('The most that one call can cost, in US dollars; null where price or use is not known.'),
  budget: z.string().nullable().describe('Why budgets would refuse it now; null: they would not.'),
})

/** What a dry run is answered with. */
export const dryRunSchema = z.object({
  object: z.literal('headgate.dry_run'),
  family: z.string(),
  model: z.string().describe('As it was named; the engine of a search.'),
  candidates: z.array(Candidate).describe('In the order in which they would be asked; those that would not be, last.'),
})

export type DryRunAnswer = z.output<typeof dryRunSchema>
export type DryRunCandidate = z.output<typeof Candidate>

import { z } from 'zod'

const Loss = z.object({
  path: z.string().describe('Path as in `headgate-lost`, with indices.'),
  kind: z.enum(['dropped', 'changed']),
  reason: z.string(),
  count: z.number().optional().describe('Number of losses that this entry represents; default 1.'),
})

const Refused = z.object({ kind: z.string(), message: z.string(), param: z.string().nullable() })

const Candidate = z.object({
  provider: z.string(),
  model: z.string().describe('The provider’s name of the model.'),
  endpoint: z.string().nullable().describe('Endpoint of the provider; null if it has only one.'),
  healthy: z.boolean().describe('False: the candidate is in cooldown or full, and is tried last.'),
  why: z.string().describe('Reason for the place of the candidate.'),
  refused: Refused.nullable().describe('Reason why the candidate would not be tried; null: it would be tried.'),
  way: z
    .enum(['bytes', 'translated', 'in-process'])
    .nullable()
    .describe(
      'Translation of the request: the bytes unchanged, translated, or an in-process call; null if it would not be tried.',
    ),
  losses: z.array(Loss).describe('Losses in the translation of the request.'),
  fetches: z.array(z.string()).describe('Paths of media that would be fetched first.'),
  price: z.string().nullable().describe('Id of the price that would be applied; null if no price is known.'),
  most: z
    .record(z.string(), z.number())
    .nullable()
    .describe('Maximum usage of one call in tokens and units. Unknown amounts are absent.'),
  bound: z
    .string()
    .nullable()
    .describe('Worst-case cost of one call in US dollars; null if the price or the maximum usage is unknown.'),
  budget: z.string().nullable().describe('Reason why budgets would refuse the call now; null: they would allow it.'),
})

/** Schema of a dry run's response. */
export const dryRunSchema = z.object({
  object: z.literal('headgate.dry_run'),
  family: z.string(),
  model: z.string().describe('Model as the caller named it, or the engine of a search.'),
  policy: z.string().nullable().describe('Routing policy; null for searches.'),
  candidates: z
    .array(Candidate)
    .describe('Candidates in the order in which they would be tried; rejected candidates are last.'),
})

export type DryRunResponse = z.output<typeof dryRunSchema>
export type DryRunCandidate = z.output<typeof Candidate>

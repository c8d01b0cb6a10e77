import { z } from 'zod'

/** Id of the format. */
export const ID = 'completions'

const tokens = z.array(z.int().min(0))

/**
 * Request schema for documentation; `/openapi.json` is generated from it.
 * @see https://platform.openai.com/docs/api-reference/completions/create
 */
export const requestSchema = z.looseObject({
  model: z.string(),
  prompt: z
    .union([z.string(), z.array(z.string()), tokens, z.array(tokens)])
    .describe('A string. Several strings or tokens require a provider with legacy completions.'),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  seed: z.int().nullish(),
  n: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  logprobs: z.int().min(0).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  user: z.string().optional(),
  suffix: z.string().nullish().describe('Requires a provider with legacy completions.'),
  echo: z.boolean().nullish().describe('Requires a provider with legacy completions.'),
  best_of: z.int().min(1).nullish().describe('Requires a provider with legacy completions.'),
})

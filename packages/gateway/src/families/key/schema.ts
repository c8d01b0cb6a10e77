import { z } from 'zod'

const Use = z.object({
  requests: z.number().describe('Requests that reached a provider.'),
  input_tokens: z.number(),
  output_tokens: z.number(),
  dollars: z.string().describe('What counts for the key, in US dollars.'),
  unpriced: z.number().describe('Requests whose cost nobody knows; they are not in `dollars`.'),
})

const Names = z.array(z.string())

/** What the holder of a key is told of it. */
export const keySchema = z.object({
  object: z.literal('headgate.key'),
  id: z.string(),
  name: z.string().nullable(),
  models: Names.describe('Models that it may call; `*` stands for any text.'),
  search: Names.describe('Search engines and backends that it may use; `*` stands for any text.'),
  families: Names.describe('Kinds of requests that it may make, as far as `models` and `search` go; `*`: all.'),
  providers: Names.describe('Providers that may serve it; `*` stands for any text.'),
  scopes: Names,
  addresses: Names.nullable().describe('Addresses and networks that it may be used from. Null: everywhere.'),
  environment: z.string().nullable(),
  created: z.number().nullable().describe('Unix time in seconds.'),
  expires: z.number().nullable().describe('Unix time in seconds.'),
  used: z
    .object({ time_zone: z.string(), today: Use, month: Use, all: Use })
    .nullable()
    .describe('Days and months begin in that time zone. Null: nobody knows.'),
})

export type KeyAnswer = z.output<typeof keySchema>

import { z } from 'zod'
import { KEY_SETTINGS } from '../../ports/key-rights.ts'
import { SERVICE_CLASSES } from '../../ports/service-class.ts'
import { TRACINGS } from '../../ports/tracing.ts'

const Use = z.object({
  requests: z.number().describe('Requests that reached a provider.'),
  input_tokens: z.number(),
  output_tokens: z.number(),
  dollars: z.string().describe('Amount charged to the key, in US dollars.'),
  unpriced: z.number().describe('Requests whose cost is unknown; `dollars` does not include them.'),
})

const Names = z.array(z.string())

/** Response of `GET /v1/key`. */
export const keySchema = z.object({
  object: z.literal('headgate.key'),
  id: z.string(),
  name: z.string().nullable(),
  models: Names.describe('Patterns of models that the key can call; `*` matches any characters.'),
  search: Names.describe('Patterns of search engines and backends that the key can use; `*` matches any characters.'),
  families: Names.describe('Families that the key can call, within `models` and `search`; `*` is all.'),
  providers: Names.describe('Patterns of providers that can serve the key; `*` matches any characters.'),
  scopes: Names,
  policies: Names.nullable().describe('Routing policies that the key can select; the first is its default. Null: any.'),
  labels: Names.nullable().describe('Labels that endpoints must have to serve the key. Null: none.'),
  class: z.enum(SERVICE_CLASSES).describe(KEY_SETTINGS.class.description),
  weight: z.number().describe(KEY_SETTINGS.weight.description),
  tracing: z.enum(TRACINGS).describe(KEY_SETTINGS.tracing.description),
  addresses: Names.nullable().describe('Addresses and networks that can use the key. Null: any.'),
  environment: z.string().nullable(),
  created: z.number().nullable().describe('Unix time in seconds.'),
  expires: z.number().nullable().describe('Unix time in seconds.'),
  used: z
    .object({ time_zone: z.string(), today: Use, month: Use, all: Use })
    .nullable()
    .describe('Usage; days and months begin in `time_zone`. Null if unknown.'),
})

export type KeyAnswer = z.output<typeof keySchema>

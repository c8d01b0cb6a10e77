import { FALLBACK_KINDS, isLabelName, LABEL_VALUE, POLICIES } from '@headgate/gateway/ports'
import { z } from 'zod'
import { dollars } from './price.ts'

const MOST_ENDPOINTS = 100

const count = z
  .int()
  .min(1)
  .max(2 ** 31)

export const modelNames = z.array(z.string().min(1)).min(1)

const policy = z.enum(POLICIES)

const labelName = z
  .string()
  .refine(isLabelName, 'a name of lower-case letters, digits and dashes, other than "max-price" and "min-context"')
const labelText = z.string().regex(LABEL_VALUE, 'at most 64 letters, digits, and the characters . _ : / -')
const labelValue = z.union([labelText, z.boolean()])

/** API key of a provider, or a list that is short for endpoints. The adapter checks each key. */
export const apiKey = z.unknown().meta({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })

/** Entry of `endpoints` of a provider. Other fields are the adapter's configuration, checked by the adapter. */
const endpoint = z.looseObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of at most 64 lower-case letters, digits and dashes')
    .exactOptional()
    .describe(
      'Name in usage rows, metrics and logs; unique within the provider. Default: `region`, else the position.',
    ),
  weight: z
    .number()
    .min(0.001)
    .max(1_000_000)
    .exactOptional()
    .describe('Part of the requests under the policy `weighted`, relative to the other endpoints. Default: 1.'),
  priority: z
    .int()
    .min(0)
    .max(1_000)
    .exactOptional()
    .describe('Endpoints with a lower number are tried first. Default: 0.'),
  region: labelText
    .exactOptional()
    .describe('Region, as the label `region`. An adapter with a setting `region` gets it as well.'),
  labels: z
    .record(labelName, labelValue)
    .exactOptional()
    .describe('Labels for bounds of aliases, keys and requests: `{ "zdr": true }`.'),
  group: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'at most 64 visible ASCII characters without spaces')
    .exactOptional()
    .describe(
      'Account of the credential. A rejected credential or a used-up quota stops all endpoints of the group. Default: a separate account.',
    ),
  models: modelNames
    .exactOptional()
    .describe('Names of models at the provider that the endpoint serves; `*` matches any characters. Default: all.'),
  limits: z
    .strictObject({
      concurrent: count.exactOptional().describe('Maximum calls in progress.'),
      requestsPerMinute: count.exactOptional().describe('Maximum calls within any 60 seconds.'),
      tokensPerMinute: count.exactOptional().describe('Maximum input and output tokens within any 60 seconds.'),
    })
    .exactOptional()
    .describe(
      'Limits of the endpoint, of which each worker has its part. When they are reached, the next endpoint is tried.',
    ),
})

export const endpoints = z.array(endpoint).min(1).max(MOST_ENDPOINTS)

const target = z.strictObject({
  model: z.string().min(1).describe('Name of the model, such as `<provider>/<model>`.'),
  on: z
    .array(z.enum(FALLBACK_KINDS))
    .min(1)
    .exactOptional()
    .describe('Failures of the other models after which this one is tried. Default: always, in its order.'),
  weight: z
    .number()
    .min(0.001)
    .max(1_000_000)
    .exactOptional()
    .describe('Part of the requests under the policy `weighted`. Default: 1.'),
})

/** Value of an alias with options. */
const aliasOptions = z.strictObject({
  targets: z
    .array(z.union([z.string().min(1), target]))
    .min(1)
    .refine(
      (all) => all.some((one) => typeof one === 'string' || !one.on),
      'at least one model must have no `on`, because it is tried first',
    )
    .describe('Models in order of preference.'),
  policy: policy.exactOptional().describe('Order of the endpoints. Default: `routing.policy`.'),
  maxPrice: z
    .strictObject({
      input: dollars.exactOptional().describe('US dollars per million input tokens.'),
      output: dollars.exactOptional().describe('US dollars per million output tokens.'),
    })
    .exactOptional()
    .describe('Maximum prices. Models with an unknown price are left out.'),
  minContext: count
    .exactOptional()
    .describe('Minimum context window in tokens. Models with an unknown context window are left out.'),
  labels: z
    .record(labelName, z.union([labelValue, z.array(labelValue).min(1)]))
    .exactOptional()
    .describe('Labels that endpoints must have: name → value, or list of permitted values.'),
  firstByte: z
    .int()
    .min(1)
    .exactOptional()
    .describe('Milliseconds until the response of an upstream begins. Default: `times.firstByte`.'),
  hedge: z
    .boolean()
    .exactOptional()
    .describe('`true`: a slow call may be sent to a second endpoint as well. Default: `routing.hedge`.'),
})

/** Value of an alias: a model, models in order of preference, or these with options. */
export const alias = z.union([z.string().min(1), modelNames, aliasOptions])

const namesByModel = z.record(
  z.string().min(1),
  z.array(z.string().regex(/^[^/\s]+\/\S+$/, 'a name such as <provider>/<model>')).min(1),
)

const same = z.union([
  z.boolean(),
  modelNames,
  z.strictObject({
    models: z
      .union([z.literal(true), modelNames])
      .describe('Models by their usual names; `*` matches any characters. `true`: all.'),
    add: namesByModel.exactOptional().describe('More names of a model: model → list of `<provider>/<model>`.'),
    remove: namesByModel
      .exactOptional()
      .describe('Names that are not this model: model → list of `<provider>/<model>`.'),
  }),
])

export const routing = z.strictObject({
  policy: policy
    .exactOptional()
    .describe(
      'Order of the endpoints of a model. `priority`: order of the configuration. `weighted`: by weight. `cheapest`: price of the request with its expected cached tokens. `fastest`: time to the first token. `least-busy`: fewer calls in progress. Default: `priority`.',
    ),
  same: same
    .exactOptional()
    .describe(
      'Models that other providers can serve under their own names: `true` for all, or a list. Contracts and data regions of the providers can differ. Default: `false`.',
    ),
  affinity: z
    .boolean()
    .exactOptional()
    .describe(
      '`true`: requests prefer the endpoint that has the beginning of their conversation in its prompt cache. Default: `true`.',
    ),
  hedge: z
    .boolean()
    .exactOptional()
    .describe('`true`: a slow call may be sent to a second endpoint as well. Default: `false`.'),
})

export type AliasConfig = z.output<typeof alias>
export type RoutingConfig = z.output<typeof routing>

import { families } from '@headgate/gateway'
import { everyRight, isNetwork, isOrigin, KEY_RIGHTS, type KeyRightName } from '@headgate/gateway/ports'
import { z } from 'zod'
import { accounts } from './accounts.ts'
import { dollars, price } from './price.ts'
import { type budgetList, budgets, keySpending, type rateLimit, rateLimits, timeZone } from './spending.ts'

const milliseconds = z.int().min(1)
const bytes = z.int().min(1)

/** What a key may do beside calling models and searching: read the metrics, and manage people, keys and budgets. */
export const SCOPES = ['metrics', 'admin'] as const

const FAMILIES = families.filter(({ kind }) => kind !== 'gateway').map(({ id }) => id)

const modelNames = z.array(z.string().min(1)).min(1)

/** A name that callers may send in the `vendor` header: it is read in lower case, and `auto` means any. */
const vendorName = z
  .string()
  .regex(/^(?!auto$)[a-z0-9][a-z0-9-]*$/, 'a name of lower-case letters, digits and dashes, other than "auto"')

const key = z
  .string()
  .regex(/^[\x21-\x2b\x2d-\x7e]{8,512}$/, '8 to 512 visible ASCII characters without spaces and commas')
  .describe('An API key that callers send: at least 8 characters, better 32 random ones.')

/** A list of a key's rights: names that are known in advance are checked, others are any text. */
function keyList(name: KeyRightName): z.ZodType<string[]> {
  if (name === 'scopes') return z.array(z.enum(SCOPES)).min(1)
  if (name === 'families') return z.array(z.enum(FAMILIES)).min(1)
  const entry = z.string().min(1)
  const isNetworks = KEY_RIGHTS[name].entries === 'networks'
  return z.array(isNetworks ? entry.refine(isNetwork, 'an IP address or network, such as 192.0.2.0/24') : entry).min(1)
}

const keyEntry = z.strictObject({
  key,
  name: z.string().min(1).exactOptional().describe('Who it belongs to: shown in the access log and the usage rows.'),
  environment: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'at most 32 lower-case letters, digits and dashes')
    .exactOptional()
    .describe('Where it is used: `development`, `staging`, `production`, or another name; `production`.'),
  ...everyRight((name, { description }) => keyList(name).exactOptional().describe(description)),
  ...keySpending,
})

const deployment = z.strictObject({
  upstream: z.string().min(1).exactOptional().describe('Its name at the provider; by default the public id.'),
  is: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'The model that it is: what the provider knows of that one, its price too, counts for this. Vectors of both can be compared.',
    ),
  output: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum output tokens of a response, by default what the provider knows of the model. Budgets reserve the cost of so many.',
    ),
})

/** An entry of `providers`. What is not named here is the adapter's own configuration, checked by the adapter. */
const provider = z.looseObject({
  adapter: z.string().min(1).exactOptional().describe("Id of the adapter; by default the entry's own name."),
  enabled: z.boolean().exactOptional().describe('`false` keeps the provider off, whatever the environment holds.'),
  models: z
    .union([modelNames, z.record(z.string().min(1), z.union([z.string().min(1), deployment]))])
    .exactOptional()
    .describe('The only models that it serves here: a list of ids, or public id → name at the provider, or an object.'),
  waiting: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum requests that wait for the first byte of its responses; `limits.waiting`. Beyond it the next candidate is tried.',
    ),
})

/** An entry of `search.backends`. What is not named here is the adapter's own configuration, checked by the adapter. */
const backend = z.looseObject({
  adapter: z.string().min(1).exactOptional().describe("Id of the adapter; by default the entry's own name."),
  enabled: z.boolean().exactOptional().describe('`false` keeps the backend off, whatever the environment holds.'),
  price: dollars
    .exactOptional()
    .describe('US dollars per 1,000 searches, where the backend knows no price or it is another one.'),
})

/** An entry of `search.engines`. What is not named here is a setting of its backend, checked by the adapter. */
const engine = z.looseObject({
  backend: z
    .string()
    .min(1)
    .describe(
      'Name of the backend that it searches with; fields beside these are its settings, for this engine alone.',
    ),
  title: z.string().min(1).exactOptional().describe('What answers call it; by default its `cx`.'),
  sites: z
    .array(
      z
        .string()
        .regex(/^(https?:\/\/)?[^\s:/?#@]+(\/[^\s?#]*)?$/, 'a host, or one with a path, such as example.com/docs'),
    )
    .min(1)
    .exactOptional()
    .describe(
      'The only sites that it finds things on, where the caller names none: hosts with their subdomains, `example.com/docs`.',
    ),
})

const search = z.strictObject({
  default: z
    .string()
    .min(1)
    .exactOptional()
    .describe('Engine or backend of a search that names no `cx`; by default the backends in their order.'),
  backends: z.record(vendorName, backend).exactOptional().describe('Search backends by name, in order of preference.'),
  engines: z
    .record(z.string().min(1), engine)
    .exactOptional()
    .describe('Engines by the `cx` that callers send: any text.'),
  cache: z
    .strictObject({
      seconds: z
        .number()
        .min(0)
        .exactOptional()
        .describe('How long an answer is given again to an identical search; 0, which is never.'),
    })
    .exactOptional(),
})

const kept = z.int().min(1).max(36_500).nullable()

const store = z.strictObject({
  timeZone: timeZone.exactOptional().describe('Time zone in which the days of sums begin: `Europe/Berlin`; UTC.'),
  fsync: z
    .enum(['interval', 'always', 'never'])
    .exactOptional()
    .describe(
      'When the journal is synced to the disk: each second, before each answer ends, or by the system; `interval`. Only a loss of power can tell.',
    ),
  retention: z
    .strictObject({
      usageDays: kept.exactOptional().describe('Days that rows of `usage` are kept; 90. `null`: for ever.'),
      hoursMonths: kept.exactOptional().describe('Months that the sums of hours are kept; 13. `null`: for ever.'),
      daysMonths: kept.exactOptional().describe('Months that the sums of days are kept; `null`, for ever.'),
    })
    .exactOptional(),
})

const responses = z.strictObject({
  keep: z
    .union([
      z.literal(false),
      z.string().regex(/^[1-9]\d{0,3}[mhd]$/, { error: 'Write minutes, hours or days: 30m, 24h, 7d; or false.' }),
    ])
    .exactOptional()
    .describe(
      'How long an answer that was translated is kept for later requests to name it: `30m`, `24h`, `7d`; `24h`. `false`: never.',
    ),
  foreignIds: z
    .enum(['refuse', 'allow'])
    .exactOptional()
    .describe(
      'Ids of answers, files, caches, containers and vector stores that do not belong to the caller and that the gateway does not know, in every format: `refuse` answers 404; `allow` sends them to the provider, where all callers share one account.',
    ),
})

const hostedTools = z.strictObject({
  webSearch: z
    .enum(['own', 'provider', 'off'])
    .exactOptional()
    .describe(
      'Who searches the web where a request has it done by a tool of the provider: `provider`, the provider where it does that, else the backends of `search` that search the web (or what `search.default` names); `own`, always those; `off`, never those. By default `provider`.',
    ),
})

const video = z.strictObject({
  links: z
    .enum(['auto', 'own'])
    .exactOptional()
    .describe(
      'Where callers get videos: `own`, all through the gateway; `auto`, at the provider where its address is for callers and holds for a day.',
    ),
  privateCallbacks: z
    .array(z.string().min(1))
    .exactOptional()
    .describe(
      'Hosts that may be called back although their addresses are not public. Whoever holds a key can make the gateway POST there, on every port.',
    ),
})

const times = z.strictObject({
  connect: milliseconds.exactOptional().describe('Until an upstream accepts the connection; 10000.'),
  firstByte: milliseconds.exactOptional().describe('Until its answer begins; 600000.'),
  silence: milliseconds.exactOptional().describe('Silence within a stream; 120000.'),
  whole: milliseconds.exactOptional().describe('The whole request with all its attempts; 900000.'),
  header: milliseconds.exactOptional().describe('Until the head of a request has arrived; 60000.'),
  body: milliseconds.exactOptional().describe('Silence while the body of a request arrives; 60000.'),
  upload: milliseconds.exactOptional().describe('Until the whole body of a request has arrived; 300000.'),
  write: milliseconds.exactOptional().describe('Silence while a caller reads its answer; 60000.'),
  ping: milliseconds.exactOptional().describe('Silence after which a translated stream gets a ping; 15000.'),
  backoff: milliseconds
    .exactOptional()
    .describe('The first wait before a provider is asked again, doubled each time; 1000.'),
  shutdown: milliseconds.exactOptional().describe('How long open requests may go on after SIGTERM or SIGINT; 30000.'),
})

const limits = z.strictObject({
  body: bytes.exactOptional().describe('Most bytes of a request body, inflated; 33554432.'),
  values: bytes.exactOptional().describe('Most values of a request body, those within others counted; 1000000.'),
  members: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum members of the objects in a request body, nested ones included; elements of lists do not count. 100000.',
    ),
  memory: bytes
    .exactOptional()
    .describe(
      'Maximum bytes that all requests hold together: their bodies, the responses that are read whole, and what callers have not received yet. An eighth of the memory of each process, at least four times `body`.',
    ),
  keyMemory: bytes
    .exactOptional()
    .describe(
      'Maximum bytes of `memory` that the requests of one key hold together; half of `memory`. A key never gets more than is free.',
    ),
  waiting: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum requests that wait for the first byte of a response of one provider; one for each 65536 bytes of `memory`, at least 2000.',
    ),
  answer: bytes.exactOptional().describe('Most bytes of a whole answer of an upstream; 67108864.'),
  connections: z.int().min(1).exactOptional().describe('Most connections of callers at a time; 10000.'),
  media: bytes
    .exactOptional()
    .describe('Most bytes of an image or PDF that is fetched for a provider that takes no URLs; 20971520.'),
  ...rateLimits,
})

/**
 * Everything that `headgate.config.{ts,mjs,json,yaml}` may say. Times are milliseconds, sizes bytes, prices US dollars.
 */
export const configSchema = z.strictObject({
  $schema: z.string().exactOptional().describe('For editors: where this schema lies.'),
  keys: z
    .array(z.union([key, keyEntry]))
    .exactOptional()
    .describe('API keys that are valid besides the stored ones.'),
  providers: z.record(vendorName, provider).exactOptional().describe('Providers by name, in order of preference.'),
  search: search.exactOptional().describe('Search backends and engines.'),
  adapters: z
    .array(z.string().min(1))
    .exactOptional()
    .describe('Ids of the only adapters that may be used, of providers and of search; by default all that are found.'),
  models: z
    .record(z.string().min(1), z.union([z.string().min(1), modelNames]))
    .exactOptional()
    .describe('Aliases: public name → models in order of preference.'),
  routing: z
    .strictObject({
      policy: z
        .enum(['priority'])
        .exactOptional()
        .describe('`priority`: the first provider that has the model and is healthy.'),
    })
    .exactOptional(),
  prices: z
    .record(z.string().min(1), price)
    .exactOptional()
    .describe('Prices by `<provider>/<model>`, where the provider knows none or other ones.'),
  hostedTools: hostedTools.exactOptional().describe('Tools that are run for the model, rather than by the caller.'),
  responses: responses.exactOptional().describe('Answers of the responses format, which later requests may name.'),
  video: video.exactOptional().describe('Video tasks.'),
  times: times.exactOptional().describe('Times in milliseconds.'),
  limits: limits.exactOptional().describe('Sizes in bytes, numbers, and how much may be asked.'),
  budgets: budgets.exactOptional().describe('What may be spent, in US dollars.'),
  accounts: accounts
    .exactOptional()
    .describe('People, and how they sign in. `false` takes them away, and `/api/v1` with them.'),
  dashboard: z
    .boolean()
    .exactOptional()
    .describe(
      '`false` takes the dashboard away, which browsers find at the address of the program; without `accounts` there is none.',
    ),
  server: z
    .strictObject({
      port: z.int().min(0).max(65535).exactOptional().describe('8787; 0 takes a free one. PORT wins over it.'),
      workers: z
        .union([z.int().min(1).max(64), z.literal('auto')])
        .exactOptional()
        .describe(
          'Processes that serve the port: 1, or `auto` for one a core, 64 at most. HEADGATE_WORKERS wins over it.',
        ),
      host: z
        .string()
        .min(1)
        .exactOptional()
        .describe('127.0.0.1, which only this machine reaches. HOST wins over it.'),
      origins: z
        .array(
          z
            .string()
            .refine(
              isOrigin,
              'is not an exact origin; allowed: scheme, host and port as the browser sends them, such as https://chat.example.com, app://obsidian.md or chrome-extension://<id>',
            ),
        )
        .min(1)
        .exactOptional()
        .describe(
          'Exact origins of pages, desktop apps and extensions that may call model paths: `https://chat.example.com`, `app://obsidian.md`, `chrome-extension://<id>`. By default none. Never applies to `/api/v1`, `/metrics` and the dashboard.',
        ),
      trustedProxies: z
        .array(z.string().refine(isNetwork, 'is neither an IP address nor a network, such as 10.0.0.7 or 10.0.0.0/24'))
        .min(1)
        .exactOptional()
        .describe(
          'Addresses and networks of the proxies in front: `127.0.0.1`, `10.0.0.0/24`. Only of their connections do `Forwarded` and `X-Forwarded-For` name the caller, for sign-in, audit and `addresses` of keys. By default none.',
        ),
    })
    .exactOptional(),
  store: store.exactOptional(),
  log: z
    .strictObject({ level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).exactOptional() })
    .optional(),
  metrics: z
    .union([
      z.boolean(),
      z.strictObject({
        port: z
          .int()
          .min(0)
          .max(65535)
          .describe('A port of 127.0.0.1 that /metrics has to itself; no key is needed there. 0 takes a free one.'),
      }),
    ])
    .exactOptional()
    .describe('`false` takes /metrics away; an object moves it.'),
})

/** Messages for fields that moved or no longer exist, by path. */
export const GONE: Readonly<Record<string, string>> = {
  origins: 'moved to server.origins, which lists exact origins',
}

/** What a configuration file may hold. */
export type Config = z.input<typeof configSchema>
export type ProviderConfig = z.output<typeof provider>
export type BackendConfig = z.output<typeof backend>
export type EngineConfig = z.output<typeof engine>
export type SearchConfig = z.output<typeof search>
export type KeyConfig = z.output<typeof keyEntry>
export type BudgetConfig = z.output<typeof budgetList>[number]
export type RateLimitConfig = z.output<typeof rateLimit>
export type AlertsConfig = NonNullable<z.output<typeof budgets>['alerts']>
export type LogLevel = NonNullable<NonNullable<Config['log']>['level']>

/** JSON Schema (draft 2020-12) of the configuration, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'Headgate configuration' }
}

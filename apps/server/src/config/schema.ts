import { isNetwork, isOrigin } from '@headgate/gateway/ports'
import { DIALECTS } from '@headgate/telemetry'
import { z } from 'zod'
import { accounts } from './accounts.ts'
import { audit } from './audit.ts'
import { keyTerms } from './key-terms.ts'
import { connections } from './listener.ts'
import { METRIC_LABELS } from './metric-labels.ts'
import { dollars, price } from './price.ts'
import { alias, apiKey, endpoints, modelNames, routing } from './routing.ts'
import { sinks } from './sinks.ts'
import { type budgetList, budgets, keySpending, type rateLimit, rateLimits, timeZone } from './spending.ts'
import { tokens } from './tokens.ts'

const milliseconds = z.int().min(1)
const bytes = z.int().min(1)

/** Name for the `vendor` header. The header is read in lower case, and `auto` means any provider. */
const vendorName = z
  .string()
  .regex(/^(?!auto$)[a-z0-9][a-z0-9-]*$/, 'a name of lower-case letters, digits and dashes, other than "auto"')

const key = z
  .string()
  .regex(/^[\x21-\x2b\x2d-\x7e]{8,512}$/, '8 to 512 visible ASCII characters without spaces and commas')
  .describe('API key that callers send: at least 8 characters; 32 random characters are recommended.')

const keyEntry = z.strictObject({
  key,
  name: z.string().min(1).exactOptional().describe('Owner of the key, shown in the access log and usage rows.'),
  ...keyTerms,
  ...keySpending,
})

const deployment = z.strictObject({
  upstream: z.string().min(1).exactOptional().describe('Model name at the provider. Default: the public id.'),
  is: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'Model behind the name: facts that the provider knows about it apply, including its price. Vectors of both names can be compared.',
    ),
  output: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum output tokens of a response. Budgets reserve their cost. Default: what the provider knows of the model.',
    ),
})

/** Entry of `providers`. Other fields are the adapter's configuration, checked by the adapter. */
const provider = z.looseObject({
  adapter: z.string().min(1).exactOptional().describe('Id of the adapter. Default: the name of the entry.'),
  apiKey: apiKey
    .optional()
    .describe('API key, if the adapter has one. A list: one endpoint for each, with the names `1`, `2`, ….'),
  enabled: z
    .boolean()
    .exactOptional()
    .describe('`false` disables the provider, even if the environment has its credential.'),
  models: z
    .union([modelNames, z.record(z.string().min(1), z.union([z.string().min(1), deployment]))])
    .exactOptional()
    .describe(
      'Models that the provider serves here: a list of ids, or public id → name at the provider or an object. Default: all.',
    ),
  waiting: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum requests that wait for the first byte of a response. Further requests try the next candidate. Default: `limits.waiting`.',
    ),
  tracing: z
    .boolean()
    .exactOptional()
    .describe(
      '`true` sends `traceparent` and `tracestate` to the provider, `false` never does. Default: `telemetry.propagate`.',
    ),
  endpoints: endpoints
    .exactOptional()
    .describe(
      'Endpoints, each with its own credential, base URL or region. Settings of the adapter in the entry are defaults of each endpoint. Default: one endpoint, the entry.',
    ),
})

/** Entry of `search.backends`. Other fields are the adapter's configuration, checked by the adapter. */
const backend = z.looseObject({
  adapter: z.string().min(1).exactOptional().describe('Id of the adapter. Default: the name of the entry.'),
  enabled: z
    .boolean()
    .exactOptional()
    .describe('`false` disables the backend, even if the environment has its credential.'),
  price: dollars
    .exactOptional()
    .describe('US dollars per 1,000 searches, if the backend knows no price or its price differs.'),
})

/** Entry of `search.engines`. Other fields are settings of its backend, checked by the adapter. */
const engine = z.looseObject({
  backend: z
    .string()
    .min(1)
    .describe('Name of the search backend. Other fields are settings of the backend for this engine only.'),
  title: z.string().min(1).exactOptional().describe('Name in responses. Default: its `cx`.'),
  sites: z
    .array(
      z
        .string()
        .regex(/^(https?:\/\/)?[^\s:/?#@]+(\/[^\s?#]*)?$/, 'a host, or one with a path, such as example.com/docs'),
    )
    .min(1)
    .exactOptional()
    .describe(
      'Sites to search if the caller names none: hosts including their subdomains, or paths such as `example.com/docs`. Default: all.',
    ),
})

const search = z.strictObject({
  default: z
    .string()
    .min(1)
    .exactOptional()
    .describe('Engine or backend of a search without `cx`. Default: the backends in their order.'),
  backends: z.record(vendorName, backend).exactOptional().describe('Search backends by name, in order of preference.'),
  engines: z
    .record(z.string().min(1), engine)
    .exactOptional()
    .describe('Engines by the `cx` that callers send, which can be any string.'),
  cache: z
    .strictObject({
      seconds: z
        .number()
        .min(0)
        .exactOptional()
        .describe('Seconds for which identical searches get a cached response. Default: 0 (no cache).'),
    })
    .exactOptional(),
})

const kept = z.int().min(1).max(36_500).nullable()

const store = z.strictObject({
  timeZone: timeZone.exactOptional().describe('Time zone of daily sums, such as `Europe/Berlin`. Default: UTC.'),
  connections: z
    .int()
    .min(1)
    .max(100)
    .exactOptional()
    .describe(
      'Maximum connections of each thread to Postgres. A process has three threads and one more connection, and each worker is a process. Default: 2.',
    ),
  partition: z
    .enum(['auto', 'month', 'day'])
    .exactOptional()
    .describe(
      'Time span of a partition of usage rows in Postgres. `auto`: a day if a month has more than 30 million rows, otherwise a month. Default: `auto`.',
    ),
  fsync: z
    .enum(['interval', 'always', 'never'])
    .exactOptional()
    .describe(
      'Time when the journal is synced to the disk: every second (`interval`), before each response ends (`always`), or when the system chooses (`never`). It matters only for power loss. Default: `interval`.',
    ),
  retention: z
    .strictObject({
      usageDays: kept.exactOptional().describe('Days that usage rows are kept. `null`: permanently. Default: 90.'),
      hoursMonths: kept.exactOptional().describe('Months that hourly sums are kept. `null`: permanently. Default: 13.'),
      daysMonths: kept
        .exactOptional()
        .describe('Months that daily sums are kept. `null`: permanently. Default: `null`.'),
      refusalDays: kept
        .exactOptional()
        .describe(
          'Days that refused requests are kept, 100,000 at most; their numbers are kept for 35 days. `null`: permanently. Default: 7.',
        ),
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
      'Time that translated responses are stored for later requests: `30m`, `24h`, `7d`. `false`: not stored. Default: `24h`.',
    ),
  foreignIds: z
    .enum(['refuse', 'allow'])
    .exactOptional()
    .describe(
      'Ids of responses, files, caches, containers and vector stores that the gateway does not know as the caller’s, in every format. `refuse` returns 404; `allow` sends them to the provider, where all callers share one account. Default: `refuse`.',
    ),
})

const idempotency = z.union([
  z.literal(false),
  z.strictObject({
    keep: z
      .string()
      .regex(/^[1-9]\d{0,3}[mhd]$/, { error: 'Write minutes, hours or days: 30m, 24h, 7d.' })
      .exactOptional()
      .describe('Time for which a repetition gets the stored response: `30m`, `24h`, `7d`. Default: `24h`.'),
  }),
])

const hostedTools = z.strictObject({
  webSearch: z
    .enum(['own', 'provider', 'off'])
    .exactOptional()
    .describe(
      'Web search for requests that use a web search tool of the provider. `provider`: the provider if it has the tool, else the web search backends of `search` (or `search.default`). `own`: always these backends. `off`: never these backends. Default: `provider`.',
    ),
  images: z
    .enum(['own', 'provider', 'off'])
    .exactOptional()
    .describe(
      'Images for requests with the tool `image_generation`. `provider`: the provider if it runs the tool, else the image model that the tool names, or the alias `image`. `own`: always the image model. `off`: never the image model. Default: `provider`.',
    ),
})

const video = z.strictObject({
  links: z
    .enum(['auto', 'own'])
    .exactOptional()
    .describe(
      'Source of videos for callers. `own`: always the gateway. `auto`: the provider, if its URL is public and valid for a day.',
    ),
  privateCallbacks: z
    .array(z.string().min(1))
    .exactOptional()
    .describe(
      'Hosts with private addresses that callbacks can reach. Anyone with an API key can make the gateway POST to every port of these hosts.',
    ),
})

const times = z.strictObject({
  connect: milliseconds.exactOptional().describe('Time until an upstream accepts the connection. Default: 10000.'),
  firstByte: milliseconds.exactOptional().describe('Time until its response begins. Default: 600000.'),
  silence: milliseconds.exactOptional().describe('Maximum silence within a stream. Default: 120000.'),
  whole: milliseconds.exactOptional().describe('Time for the whole request with all attempts. Default: 900000.'),
  header: milliseconds.exactOptional().describe('Time until the headers of a request have arrived. Default: 60000.'),
  body: milliseconds.exactOptional().describe('Maximum silence while the body of a request arrives. Default: 60000.'),
  upload: milliseconds.exactOptional().describe('Time until the whole body of a request has arrived. Default: 300000.'),
  write: milliseconds.exactOptional().describe('Maximum silence while a caller reads a response. Default: 60000.'),
  ping: milliseconds.exactOptional().describe('Silence after which a translated stream gets a ping. Default: 15000.'),
  queue: milliseconds
    .exactOptional()
    .describe(
      'Maximum wait of a request while the gateway or each endpoint has its maximum number of requests. Default: 10000.',
    ),
  backoff: milliseconds
    .exactOptional()
    .describe('First wait before a provider is tried again; doubles each time. Default: 1000.'),
  drain: z
    .int()
    .min(0)
    .exactOptional()
    .describe(
      'Time after SIGTERM in which connections are still accepted and `/readyz` is 503, so that load balancers notice. Default: 5000 if a load balancer requested `/readyz` in the last 30 seconds, otherwise 0.',
    ),
  shutdown: milliseconds
    .exactOptional()
    .describe('Time for open requests to finish after SIGTERM or SIGINT. Default: 30000.'),
})

const limits = z.strictObject({
  body: bytes.exactOptional().describe('Maximum bytes of a request body after decompression. Default: 33554432.'),
  values: bytes
    .exactOptional()
    .describe('Maximum JSON values of a request body, including nested values. Default: 1000000.'),
  members: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum members of the objects in a request body, including nested objects; elements of lists do not count. Default: 100000.',
    ),
  memory: bytes
    .exactOptional()
    .describe(
      'Maximum bytes of memory for all requests: their bodies, responses that are read completely, and data not yet sent to callers. Default: an eighth of the memory of each process, at least four times `body`.',
    ),
  keyMemory: bytes
    .exactOptional()
    .describe(
      'Maximum bytes of `memory` for the requests of one key. A key never gets more than is free. Default: half of `memory`.',
    ),
  concurrent: z
    .int()
    .min(1)
    .exactOptional()
    .describe('Maximum requests in progress in the program; further ones wait in fair order. Default: unlimited.'),
  queue: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum requests that wait for `concurrent`, and maximum requests that wait for endpoints with their maximum number of calls. Further ones get a 429. Default: 1000 for each process.',
    ),
  eventLoopDelay: z
    .union([z.literal(false), z.int().min(20)])
    .exactOptional()
    .describe(
      'Delay of the event loop in milliseconds above which requests of the class `batch` get a 429; `normal` above twice, `interactive` above four times as much; `false`: none. Default: 250.',
    ),
  waiting: z
    .int()
    .min(1)
    .exactOptional()
    .describe(
      'Maximum requests that wait for the first byte of a response from one provider. Default: one for each 65536 bytes of `memory`, at least 2000.',
    ),
  answer: bytes.exactOptional().describe('Maximum bytes of a complete upstream response. Default: 67108864.'),
  upload: bytes.exactOptional().describe('Maximum bytes of an uploaded form. Default: 536870912.'),
  uploads: bytes
    .exactOptional()
    .describe(
      'Maximum bytes of all uploaded forms that are being served, on disk. Further uploads get a 429. Each process has an equal part. Default: 8589934592.',
    ),
  keyUploads: bytes
    .exactOptional()
    .describe(
      'Maximum bytes of `uploads` for the forms of one key. Each process has an equal part. Default: half of `uploads`, at least `upload`.',
    ),
  connections: z.int().min(1).exactOptional().describe('Maximum open connections of callers. Default: 10000.'),
  media: bytes
    .exactOptional()
    .describe('Maximum bytes of an image or PDF fetched for a provider without URL support. Default: 20971520.'),
  ...rateLimits,
})

/** Fields of `headgate.config.{ts,mjs,json,yaml}`. Times are milliseconds, sizes bytes, prices US dollars. */
export const configSchema = z.strictObject({
  $schema: z.string().exactOptional().describe('URL of this schema, for editors.'),
  keys: z
    .array(z.union([key, keyEntry]))
    .exactOptional()
    .describe('API keys in addition to the stored ones.'),
  tokens: tokens
    .exactOptional()
    .describe(
      'Issuers of JSON Web Tokens that callers can send instead of an API key, such as an identity provider or Kubernetes. By default none.',
    ),
  providers: z.record(vendorName, provider).exactOptional().describe('Providers by name, in order of preference.'),
  search: search.exactOptional().describe('Search backends and engines.'),
  adapters: z
    .array(z.string().min(1))
    .exactOptional()
    .describe('Ids of the adapters to use, for providers and search. Default: all installed ones.'),
  models: z
    .record(z.string().min(1), alias)
    .exactOptional()
    .describe('Aliases: public name → models in order of preference, or an object with options.'),
  routing: routing.exactOptional().describe('Choice among the endpoints of a model.'),
  prices: z
    .record(z.string().min(1), price)
    .exactOptional()
    .describe('Prices by `<provider>/<model>`, if the provider knows none or they differ.'),
  hostedTools: hostedTools.exactOptional().describe('Tools that run for the model instead of on the caller’s side.'),
  responses: responses.exactOptional().describe('Stored responses, which later requests can name.'),
  idempotency: idempotency
    .exactOptional()
    .describe('Requests with the header `idempotency-key`, which are executed once. `false`: the header is ignored.'),
  video: video.exactOptional().describe('Video tasks.'),
  voices: z
    .record(z.string().min(1), z.record(vendorName, z.string().min(1)))
    .exactOptional()
    .describe('Voices for speech: the name that callers send → the name of the voice by provider.'),
  times: times.exactOptional().describe('Times in milliseconds.'),
  limits: limits.exactOptional().describe('Sizes in bytes, counts, and rate limits.'),
  budgets: budgets.exactOptional().describe('Spending limits in US dollars.'),
  accounts: accounts.exactOptional().describe('Accounts and sign-in. `false` disables accounts and `/api/v1`.'),
  dashboard: z
    .boolean()
    .exactOptional()
    .describe('`false` disables the dashboard, which is served at the address of the program. It requires `accounts`.'),
  server: z
    .strictObject({
      port: z
        .int()
        .min(0)
        .max(65535)
        .exactOptional()
        .describe('Port to listen on; 0 picks a free port. PORT takes precedence. Default: 8787.'),
      workers: z
        .union([z.int().min(1).max(64), z.literal('auto')])
        .exactOptional()
        .describe(
          'Number of worker processes, 64 at most; `auto` for one per core. HEADGATE_WORKERS takes precedence. Default: 1.',
        ),
      host: z
        .string()
        .min(1)
        .exactOptional()
        .describe(
          'Address to listen on. HOST takes precedence. Default: 127.0.0.1, which only this machine can reach.',
        ),
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
          'Exact origins of pages, desktop apps and extensions that can call model paths: `https://chat.example.com`, `app://obsidian.md`, `chrome-extension://<id>`. By default none. Never applies to `/api/v1`, `/metrics` and the dashboard.',
        ),
      trustedProxies: z
        .array(z.string().refine(isNetwork, 'is neither an IP address nor a network, such as 10.0.0.7 or 10.0.0.0/24'))
        .min(1)
        .exactOptional()
        .describe(
          'Addresses and networks of the proxies in front: `127.0.0.1`, `10.0.0.0/24`. `Forwarded` and `X-Forwarded-For` name the caller only on their connections, for sign-in, audit and `addresses` of keys. By default none.',
        ),
      ...connections,
      watch: z
        .boolean()
        .exactOptional()
        .describe(
          '`true`: reloads the configuration within 5 seconds after the content of its file, or of a secret file that it refers to, has changed. Default: only SIGHUP reloads.',
        ),
    })
    .exactOptional(),
  store: store.exactOptional(),
  spool: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'Folder for uploads above 1 MiB while they are served. A relative path is in the data directory. The folder must be on a disk, not in memory. Default: `spool`.',
    ),
  journal: z
    .enum(['disk', 'postgres'])
    .exactOptional()
    .describe(
      'Place where a usage row must be before its response ends: the journal in the data directory (`disk`), or also the database of DATABASE_URL (`postgres`), for nodes without a durable disk. Default: `disk`.',
    ),
  sinks: sinks
    .exactOptional()
    .describe('Destinations of usage rows by name, such as a bucket or a database. Changes apply after a restart.'),
  telemetry: z
    .strictObject({
      endpoint: z
        .url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' })
        .exactOptional()
        .describe(
          'URL of an OpenTelemetry receiver for OTLP over HTTP, without `/v1/traces`. Overrides OTEL_EXPORTER_OTLP_ENDPOINT.',
        ),
      headers: z
        .record(z.string(), z.string())
        .exactOptional()
        .describe('Headers of exports, such as `authorization`. Overrides OTEL_EXPORTER_OTLP_HEADERS.'),
      protocol: z
        .enum(['http/protobuf', 'http/json'])
        .exactOptional()
        .describe('Encoding of exports. Overrides OTEL_EXPORTER_OTLP_PROTOCOL. Default: `http/protobuf`.'),
      conventions: z
        .enum(DIALECTS)
        .exactOptional()
        .describe(`Names of the attributes of model calls: \`${DIALECTS.join('`, `')}\`. Default: \`1.41\`.`),
      metrics: z
        .boolean()
        .exactOptional()
        .describe('`false` does not export metrics to the receiver. Default: `true`.'),
      ratio: z
        .number()
        .min(0)
        .max(1)
        .exactOptional()
        .describe(
          'Part of the traces that is exported, from 0 to 1. Failed and slow requests are always exported, unless it is 0. Default: 1.',
        ),
      accessLogs: z
        .boolean()
        .exactOptional()
        .describe(
          '`true` also exports a log record of each request. It has the attributes of the request’s span. Default: `false`.',
        ),
      traceUrl: z
        .string()
        .regex(/^https?:\/\/\S*\{trace_id\}\S*$/, 'a URL that contains `{trace_id}`')
        .exactOptional()
        .describe(
          'Page of a trace in your tracing system, such as `https://traces.example.com/trace/{trace_id}`. The dashboard links to it.',
        ),
      propagate: z
        .boolean()
        .exactOptional()
        .describe(
          '`true` sends `traceparent` with the span of the call, and `tracestate`, to providers and search backends. `tracing` of a provider overrides it. Default: `false`.',
        ),
    })
    .exactOptional()
    .describe('Export of traces to OpenTelemetry. The variables `OTEL_*` apply where a field is absent.'),
  audit: audit.exactOptional().describe('Export of the audit log.'),
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
          .exactOptional()
          .describe('Separate port on 127.0.0.1 for /metrics, without authentication; 0 picks a free port.'),
        labels: z
          .array(z.enum(METRIC_LABELS))
          .exactOptional()
          .describe(
            'Labels of requests, failures, tokens, units and costs, in addition to provider, family and format: `model`, `key` (id) and `project` (id). Default: `model`.',
          ),
        maxSeries: z
          .int()
          .min(1)
          .exactOptional()
          .describe(
            'Maximum number of series with models, keys or projects. Further ones are counted as `_other`. Default: 10,000.',
          ),
      }),
    ])
    .exactOptional()
    .describe('`false` disables /metrics; an object sets its port, labels and size.'),
})

/** Messages for fields that moved or no longer exist, by path. */
export const GONE: Readonly<Record<string, string>> = {
  origins: 'moved to server.origins, which lists exact origins',
}

/** Content of a configuration file. */
export type Config = z.input<typeof configSchema>
export type KeyConfig = z.output<typeof keyEntry>
export type BudgetConfig = z.output<typeof budgetList>[number]
export type RateLimitConfig = z.output<typeof rateLimit>
export type LogLevel = NonNullable<NonNullable<Config['log']>['level']>

/** JSON Schema (draft 2020-12) of the configuration, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'Headgate configuration' }
}

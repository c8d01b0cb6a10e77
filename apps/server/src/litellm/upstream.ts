import type { ProviderAdapter } from '@headgate/core'
import type { EnvironmentSource } from '@headgate/core/provider'
import type { LoadedAdapter } from '../adapters/adapter.ts'
import { pathText } from '../config/problem.ts'
import type { LiteLLMEntry, Section } from './file.ts'
import type { Remark } from './remark.ts'
import type { Variables } from './variables.ts'
import { BARE, VENDORS, type Vendor } from './vendors.ts'

/** The adapter of any server that speaks chat completions. */
const ANY_SERVER = 'openai-compatible'

export type ProviderLoaded = LoadedAdapter<ProviderAdapter>

/** Where an entry of LiteLLM sends its requests. */
export interface Upstream {
  readonly adapter: ProviderLoaded
  /** The model's name there; `*` = any. */
  readonly model: string
  /** What a provider of it may be called. */
  readonly name: string
  /** What the configuration of the provider says. */
  readonly fields: Readonly<Record<string, unknown>>
}

export interface UpstreamContext {
  readonly adapters: readonly ProviderLoaded[]
  readonly variables: Variables
  remark(kind: Remark['kind'], path: readonly PropertyKey[], text: string): void
}

/** What is read here of `litellm_params`; whatever else stands there is none of where a request goes. */
export const UPSTREAM_PARAMETERS: ReadonlySet<string> = new Set([
  'model',
  'api_key',
  'api_base',
  'base_url',
  'custom_llm_provider',
  'organization',
  'extra_headers',
  'api_version',
  'litellm_credential_name',
  ...[...VENDORS.values()].flatMap(({ fields = {} }) => Object.keys(fields)),
])

/** Where an entry's requests go; undefined, with a remark, where Headgate can not send them. */
export function upstreamOf(
  { litellm_params: given }: LiteLLMEntry,
  at: readonly PropertyKey[],
  context: UpstreamContext,
): Upstream | undefined {
  const { adapters, remark } = context
  const path = [...at, 'litellm_params']
  const named = vendorOf(given, adapters)
  if (!named) {
    remark('left', [...path, 'model'], 'whose model it is can not be told: write `<provider>/<model>`, and import again')
    return undefined
  }
  const { word, model } = named
  const vendor = VENDORS.get(word)
  const base = baseOf(given, vendor, context)
  const adapter = adapterOf(word, vendor, base, adapters)
  if (!adapter) {
    remark('left', [...path, 'model'], `no adapter that is installed here serves ${word}. ${vendor?.advice ?? ELSEWHERE}`)
    return undefined
  }
  const isAnyServer = adapter.id === ANY_SERVER
  const url = isAnyServer ? (base ?? vendor?.baseUrl) : ownBase(adapter, base)
  if (isAnyServer && !url) {
    remark('left', path, 'says no api_base: write the base URL, and import again')
    return undefined
  }
  if (url && hasPassword(url)) {
    remark('left', [...path, 'api_base'], 'has a name or a password in it: give the key by itself, and import again')
    return undefined
  }
  if (!isAnyServer && url?.startsWith('${'))
    remark('otherwise', [...path, 'api_base'], 'is the base URL as the SDK of the vendor wants it: see docs/configuration.md')
  if (given['api_version'] !== undefined)
    remark('otherwise', [...path, 'api_version'], 'is not sent: requests go to the v1 API, which has no dated versions')
  const name = isAnyServer && !vendor?.baseUrl && url ? hostName(url, word) : isAnyServer ? slug(word) : adapter.id
  const fields = {
    ...keyField(given, { adapter, vendor, word, path }, context),
    ...(url && { baseUrl: url }),
    ...otherFields(given, { adapter, vendor, word, path }, context),
  }
  return { adapter, model, name, fields }
}

const ELSEWHERE = 'Leave it with LiteLLM and put LiteLLM behind Headgate (docs/coming-from.md), or write an adapter (docs/adapters.md)'

/** The word that names the vendor, and the model's name there. */
function vendorOf(given: Section, adapters: readonly ProviderLoaded[]): { word: string; model: string } | undefined {
  const model = String(given['model'])
  const slash = model.indexOf('/')
  const first = slash > 0 ? model.slice(0, slash) : undefined
  const told = given['custom_llm_provider']
  if (typeof told === 'string' && told !== '') return { word: told, model: first === told ? model.slice(slash + 1) : model }
  if (first !== undefined) return { word: first, model: model.slice(slash + 1) }
  const bare = BARE.find(([id]) => id.test(model))?.[1]
  const claiming = adapters.find(({ factory }) => factory.claims?.some((claim) => claim.test(model)))?.id
  const word = bare ?? claiming
  return word === undefined ? undefined : { word, model }
}

/** The adapter whose id the word is, or that takes its key from a variable that LiteLLM takes the vendor's from; else that of any server. */
function adapterOf(
  word: string,
  vendor: Vendor | undefined,
  base: string | undefined,
  adapters: readonly ProviderLoaded[],
): ProviderLoaded | undefined {
  const isElsewhere = vendor?.host !== undefined && base !== undefined && !vendor.host.test(base)
  const keys = vendor?.keys ?? [`${word.toUpperCase()}_API_KEY`]
  const reads = (one: ProviderLoaded) =>
    Object.values(sourcesOf(one))
      .flat()
      .some((source) => keys.includes(typeof source === 'string' ? source : source.file))
  const own = adapters.filter(({ id }) => id !== ANY_SERVER)
  const serves = (is: (one: ProviderLoaded) => boolean) => own.find((one) => is(one) && talks(one))
  const found = isElsewhere ? undefined : (serves(({ id }) => id === slug(word)) ?? serves(reads))
  if (found) return found
  const isServer = isElsewhere || (vendor !== undefined && !vendor.fields)
  return isServer && !vendor?.fields ? adapters.find(({ id }) => id === ANY_SERVER && (vendor?.baseUrl || base) !== undefined) : undefined
}

/** Whether it serves chat or embeddings. What can not be made without more than a key is believed to. */
function talks({ factory }: ProviderLoaded): boolean {
  const config = factory.config.safeParse({ apiKey: 'a-key' })
  if (!config.success) return true
  const made = factory(config.data as Record<string, unknown>)
  return made.chat !== undefined || made.embeddings !== undefined
}

function baseOf(given: Section, vendor: Vendor | undefined, { variables }: UpstreamContext): string | undefined {
  const said = variables.text(given['api_base'] ?? given['base_url'])
  const base = said ?? (vendor?.baseVariable && variables.named([vendor.baseVariable]))
  if (!base) return undefined
  const bare = base.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  const { path = '' } = vendor ?? {}
  return bare.endsWith(path) ? bare : `${bare}${path}`
}

/** Of an adapter whose base URL is a host the host alone: LiteLLM's has a version behind it. Undefined where it is the adapter's default. */
function ownBase({ factory }: ProviderLoaded, base: string | undefined): string | undefined {
  const config = factory.config.safeParse({ apiKey: 'a-key' })
  const usual = config.success ? Reflect.get(Object(config.data), 'baseUrl') : undefined
  if (base === undefined || typeof usual !== 'string') return base
  const cut = new URL(usual).pathname === '/' ? base.replace(/(\/compatible-mode)?\/v1(beta)?(\/messages)?$/, '') : base
  return cut === usual ? undefined : cut
}

interface Place {
  readonly adapter: ProviderLoaded
  readonly vendor: Vendor | undefined
  readonly word: string
  readonly path: readonly PropertyKey[]
}

function keyField(given: Section, { adapter, vendor, word, path }: Place, { variables }: UpstreamContext): { apiKey?: string } {
  if (!takes(adapter, 'apiKey')) return {}
  const keys = vendor ? vendor.keys : [`${word.toUpperCase()}_API_KEY`]
  const said = given['api_key']
  const wanted = keys?.[0] ?? `${word.toUpperCase().replace(/\W/g, '_')}_API_KEY`
  const key =
    said === undefined || said === null ? keys && variables.named(keys) : variables.secret(said, pathText([...path, 'api_key']), wanted)
  return key === undefined ? {} : { apiKey: key }
}

function otherFields(given: Section, { adapter, vendor, path }: Place, context: UpstreamContext): Record<string, unknown> {
  const { variables, remark } = context
  const { organization } = given
  const fields: Record<string, unknown> = {}
  for (const [parameter, { field, variable }] of Object.entries(vendor?.fields ?? {}))
    if (takes(adapter, field)) fields[field] = variables.text(given[parameter]) ?? variables.named([variable])
  if (typeof organization === 'string' && takes(adapter, 'organization')) fields['organization'] = variables.text(organization)
  else if (organization !== undefined && organization !== null) remark('left', [...path, 'organization'], 'no provider here takes it so')
  const headers = given['extra_headers']
  if (isSection(headers) && takes(adapter, 'headers')) {
    const entries = Object.entries(headers).flatMap(([name, value]) => {
      const text = variables.secret(value, pathText([...path, 'extra_headers', name]), `HEADER_${name.toUpperCase().replace(/\W/g, '_')}`)
      return text === undefined ? [] : [[name, text]]
    })
    fields['headers'] = Object.fromEntries(entries)
  } else if (headers !== undefined && headers !== null)
    remark('left', [...path, 'extra_headers'], 'this provider takes no headers of the configuration')
  return fields
}

export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Variables by the fields that they give. */
export function sourcesOf({ factory }: ProviderLoaded): Readonly<Record<string, readonly EnvironmentSource[]>> {
  return factory.env
}

/** Whether an adapter's configuration has a field. */
function takes({ factory }: ProviderLoaded, field: string): boolean {
  const shape: unknown = Reflect.get(factory.config, 'shape')
  return isSection(shape) && field in shape
}

function hasPassword(url: string): boolean {
  return URL.canParse(url) && (new URL(url).username !== '' || new URL(url).password !== '')
}

/** A provider's name from the host of its base URL: `vllm` of `https://vllm.example.com`, `10-0-0-5-8000` of an address. */
function hostName(url: string, otherwise: string): string {
  if (!URL.canParse(url)) return slug(otherwise)
  const { hostname, host } = new URL(url)
  const labels = hostname.split('.')
  const isAddress = labels.length === 1 || /^[\d.]+$|:/.test(hostname)
  const first = labels.find((label) => !['api', 'www'].includes(label)) ?? hostname
  return slug(isAddress ? host : first) || slug(otherwise)
}

/** A name as `providers` has them. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

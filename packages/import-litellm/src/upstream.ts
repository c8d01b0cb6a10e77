import { type FieldsContext, otherFields } from './fields.ts'
import type { LiteLLMEntry, Section } from './file.ts'
import type { Remark } from './report.ts'
import { ANY_SERVER, adapterOf, adviceFor, type ProviderLoaded, slug, takes, usualBase } from './serving.ts'
import type { NamedModel } from './vendor-fields.ts'
import { BARE, type LiteLLMVendor, VENDORS } from './vendors.ts'

/** Destination of requests for an entry. */
export interface EntryUpstream {
  readonly adapter: ProviderLoaded
  /** LiteLLM's word for the vendor. */
  readonly word: string
  /** Model name at the provider; `*` = any. */
  readonly model: string
  /** Model behind the name, if the name differs. */
  readonly is?: string
  /** Suggested name of the provider. */
  readonly name: string
  /** Fields of the provider's configuration. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Credentials that the file does not have, by field. */
  readonly environment: NonNullable<LiteLLMVendor['environment']>
  /** Parameters that are carried over or have a remark. */
  readonly carried: ReadonlySet<string>
}

export interface UpstreamContext extends FieldsContext {
  readonly adapters: readonly ProviderLoaded[]
  remark(kind: Remark['kind'], path: readonly PropertyKey[], text: string): void
}

/** Parameters of every vendor that determine the destination. */
const PARAMETERS = [
  ...[
    'model',
    'model_id',
    'api_key',
    'api_base',
    'base_url',
    'custom_llm_provider',
    'organization',
    'extra_headers',
    'api_version',
  ],
  'litellm_credential_name',
]

/** Destination of an entry; undefined, with a remark, if Headgate cannot serve it. */
export function upstreamOf(
  { litellm_params: given, model_info: info }: LiteLLMEntry,
  at: readonly PropertyKey[],
  context: UpstreamContext,
): EntryUpstream | undefined {
  const { adapters, remark } = context
  const path = [...at, 'litellm_params']
  const named = vendorOf(given, adapters)
  if (!named) {
    remark('left', [...path, 'model'], 'the provider is unknown: write `<provider>/<model>`, and import again')
    return undefined
  }
  const { word, vendor } = named
  const base = baseOf(given, vendor, context)
  const isElsewhere = vendor?.host !== undefined && base !== undefined && !vendor.host.test(resolved(base, context))
  const wanted = { word, vendor, isElsewhere, hasBase: base !== undefined, mode: info?.['mode'] }
  const adapter = adapterOf(wanted, adapters)
  if (!adapter) {
    const what = vendor?.isAnyServer && !base ? 'has no api_base: set the base URL, and import again' : undefined
    remark('left', [...path, 'model'], what ?? `no installed adapter serves ${word}. ${adviceFor(wanted, adapters)}`)
    return undefined
  }
  const one = (!isElsewhere && vendor?.model?.(named.model, given)) || { model: named.model }
  if (one.left !== undefined) {
    remark('left', [...path, 'model'], one.left)
    return undefined
  }
  if (one.otherwise !== undefined) remark('otherwise', [...path, 'model'], one.otherwise)
  return placed(given, { adapter, vendor, word, path, base, isElsewhere, one }, context)
}

interface MatchedEntry {
  readonly adapter: ProviderLoaded
  readonly vendor: LiteLLMVendor | undefined
  readonly word: string
  readonly path: readonly PropertyKey[]
  readonly base: string | undefined
  readonly isElsewhere: boolean
  readonly one: NamedModel
}

function placed(given: Section, found: MatchedEntry, context: UpstreamContext): EntryUpstream | undefined {
  const { adapter, vendor, word, path, base, one } = found
  const { remark } = context
  const isAnyServer = adapter.id === ANY_SERVER
  const url = isAnyServer ? (withPath(base, vendor) ?? vendor?.baseUrl) : ownBase(adapter, base, vendor)
  if (isAnyServer && !url) {
    remark('left', path, 'has no api_base: set the base URL, and import again')
    return undefined
  }
  if (url && hasPassword(url)) {
    remark('left', [...path, 'api_base'], 'contains a name or password: set the key separately, and import again')
    return undefined
  }
  if (url?.startsWith('${') && (!isAnyServer || (vendor?.host && vendor.cut)))
    remark(
      'otherwise',
      [...path, 'api_base'],
      'must be the base URL that the provider expects: see docs/configuration.md',
    )
  const { fields, carried, hasCredential, hasAccount } = otherFields(
    given,
    { adapter, vendor, word, path, model: one },
    context,
  )
  if (given['api_version'] !== undefined && !carried.has('api_version'))
    remark('otherwise', [...path, 'api_version'], 'is not sent: requests go to the v1 API, which has no dated versions')
  return {
    adapter,
    word,
    model: one.model,
    ...(one.is !== undefined && { is: one.is }),
    name: nameOf(found, url, hasAccount ? fields : undefined),
    fields: { ...(url && { baseUrl: url }), ...(isAnyServer && vendor?.serverFields), ...fields },
    environment: hasCredential || isAnyServer ? {} : (vendor?.environment ?? {}),
    carried: new Set([...PARAMETERS, ...carried]),
  }
}

/**
 * Name of a provider. A provider named like its adapter also reads the environment. So that credentials of the file do
 * not mix with it, the name includes the region, project or host.
 */
function nameOf(
  { adapter, vendor, word, isElsewhere }: MatchedEntry,
  url: string | undefined,
  account: EntryUpstream['fields'] | undefined,
): string {
  if (adapter.id === ANY_SERVER)
    return (isElsewhere || !vendor?.baseUrl) && url !== undefined ? hostName(url, word) : slug(word)
  if (account === undefined) return adapter.id
  const place = ['region', 'project']
    .map((field) => account[field])
    .find((value) => typeof value === 'string' && !value.startsWith('${'))
  return `${adapter.id}-${place ?? (url === undefined ? 'account' : hostName(url, 'account'))}`
}

/** Vendor word, and LiteLLM's model name. */
function vendorOf(
  given: Section,
  adapters: readonly ProviderLoaded[],
): { word: string; model: string; vendor: LiteLLMVendor | undefined } | undefined {
  const model = String(given['model'])
  const slash = model.indexOf('/')
  const first = slash > 0 ? model.slice(0, slash) : undefined
  const named = (word: string, name: string) => ({ word, model: name, vendor: VENDORS.get(word) })
  const said = given['custom_llm_provider']
  if (typeof said === 'string' && said !== '') return named(said, first === said ? model.slice(slash + 1) : model)
  if (first !== undefined) return named(first, model.slice(slash + 1))
  const bare = BARE.find(([id]) => id.test(model))?.[1]
  const claiming = adapters.find(({ factory }) => factory.claims?.some((claim) => claim.test(model)))?.id
  const word = bare ?? claiming
  return word === undefined ? undefined : named(word, model)
}

/**
 * `api_base` without the path and query of a single request; a variable if LiteLLM requires one for this vendor, or if
 * it is set.
 */
function baseOf(given: Section, vendor: LiteLLMVendor | undefined, { variables }: UpstreamContext): string | undefined {
  const { baseVariable: variable, baseUrl: usual } = vendor ?? {}
  const isNeeded = variable !== undefined && (usual === undefined || variables.valueOf(variable) !== undefined)
  const base =
    variables.text(given['api_base'] ?? given['base_url']) ?? (isNeeded ? variables.named([variable]) : undefined)
  return base
    ?.replace(/\?.*$/, '')
    .replace(/\/+$/, '')
    .replace(/\/(?:chat\/completions|completions|embeddings|rerank)$/, '')
}

function withPath(base: string | undefined, vendor: LiteLLMVendor | undefined): string | undefined {
  const { path = '' } = vendor ?? {}
  return base === undefined || base.endsWith(path) ? base : `${base}${path}`
}

/** Base URL with the current values of its variables. */
function resolved(base: string, { variables }: UpstreamContext): string {
  return base.replace(/\$\{(\w+)\}/g, (_, name: string) => variables.valueOf(name) ?? '')
}

/** Base URL without the parts that the adapter adds; undefined if it is the adapter's default. */
function ownBase(
  adapter: ProviderLoaded,
  base: string | undefined,
  vendor: LiteLLMVendor | undefined,
): string | undefined {
  const bare = vendor?.cut ? base?.replace(vendor.cut, '') : base
  const usual = usualBase(adapter)
  if (bare === undefined || usual === undefined) return takes(adapter, 'baseUrl') ? bare : undefined
  const isHost = new URL(usual).pathname === '/'
  const own = isHost ? bare.replace(/(\/compatible-mode)?\/v[12](beta)?(\/(?:messages|chat|embed))?$/, '') : bare
  return own === usual ? undefined : own
}

function hasPassword(url: string): boolean {
  return URL.canParse(url) && (new URL(url).username !== '' || new URL(url).password !== '')
}

/**
 * Provider name from the host of its base URL: `vllm` for `https://vllm.example.com`, `10-0-0-5-8000` for an address.
 */
export function hostName(url: string, otherwise: string): string {
  if (!URL.canParse(url)) return slug(otherwise)
  const { hostname, host } = new URL(url)
  const labels = hostname.split('.')
  const isAddress = labels.length === 1 || /^[\d.]+$|:/.test(hostname)
  const first = labels.find((label) => !['api', 'www'].includes(label)) ?? hostname
  return slug(isAddress ? host : first) || slug(otherwise)
}

import { basename, extname } from 'node:path'
import { configError, problemsOf } from '@headgate/discovery/config'
import { z } from 'zod'
import { isSection, type Section } from './file.ts'
import { type ForeignEntry, given, remarkSection, type SettingTexts, translateForeign } from './foreign.ts'
import { slug } from './serving.ts'
import type { Translation, TranslationOptions } from './translation.ts'
import type { UpstreamContext } from './upstream.ts'
import { VENDORS } from './vendors.ts'

const file = z.looseObject({
  strategy: z.looseObject({ mode: z.string() }).nullish(),
  targets: z.array(z.record(z.string(), z.unknown())).nullish(),
})

/** LiteLLM's words by Portkey's providers, if they differ. @see https://portkey.ai/docs/integrations/llms */
const WORDS: Readonly<Record<string, string>> = {
  'azure-openai': 'azure',
  'azure-ai': 'azure_ai',
  google: 'gemini',
  'vertex-ai': 'vertex_ai',
  'mistral-ai': 'mistral',
  'together-ai': 'together_ai',
  'fireworks-ai': 'fireworks_ai',
  'perplexity-ai': 'perplexity',
  'x-ai': 'xai',
  jina: 'jina_ai',
  lambda: 'lambda_ai',
}

/** Names of Portkey for LiteLLM's parameters. */
const NAMES: Readonly<Record<string, string>> = {
  model: 'override_params.model',
  api_base: 'custom_host',
  timeout: 'request_timeout',
  organization: 'openai_organization',
  aws_region_name: 'aws_region',
  vertex_project: 'vertex_project_id',
  vertex_location: 'vertex_region',
  vertex_credentials: 'vertex_service_account_json',
  tenant_id: 'azure_entra_tenant_id',
  client_id: 'azure_entra_client_id',
  client_secret: 'azure_entra_client_secret',
}

/** Fields that become parameters unchanged. */
const PARAMETERS: readonly string[] = [
  'api_key',
  'api_version',
  'aws_access_key_id',
  'aws_secret_access_key',
  'aws_session_token',
  'aws_region',
  'vertex_project_id',
  'vertex_region',
  'vertex_service_account_json',
  'openai_organization',
  'azure_entra_tenant_id',
  'azure_entra_client_id',
  'azure_entra_client_secret',
]

const PARAMETER_OF: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES).map(([parameter, field]) => [field, parameter]),
)

const CACHE = [
  'left',
  'model responses are not cached; requests prefer the endpoint that has their prompt in its cache',
] as const
const CHECKS = [
  'left',
  'there are no guardrails: check requests and responses in front of the gateway, or in your code',
] as const

const SETTINGS: SettingTexts = {
  ...Object.fromEntries(
    ['strategy', 'targets', 'weight', 'name', 'provider', 'virtual_key', 'custom_host', 'request_timeout'].map(
      (field) => [field, null],
    ),
  ),
  ...Object.fromEntries(PARAMETERS.map((field) => [field, null])),
  resource_name: null,
  deployment_id: null,
  override_params: null,
  strict_open_ai_compliance: null,
  retry: [
    'otherwise',
    'each endpoint is called once; retryable ones are called again after 1, 2 and 4 seconds (docs/routing.md)',
  ],
  cache: CACHE,
  input_guardrails: CHECKS,
  output_guardrails: CHECKS,
  before_request_hooks: CHECKS,
  after_request_hooks: CHECKS,
  default_input_guardrails: CHECKS,
  default_output_guardrails: CHECKS,
  metadata: ['left', 'callers send the header `headgate-tags`'],
  forward_headers: ['left', 'only caller headers that a provider supports are forwarded to it'],
  aws_role_arn: ['left', 'roles are not assumed: set access keys, or use the role of the machine (`machine: true`)'],
}

const STRATEGY: SettingTexts = {
  mode: null,
  conditions: null,
  default: null,
  on_status_codes: ['otherwise', 'the kind of a failure decides whether the next model is called (docs/errors.md)'],
}

/** Fields of a parent that its targets do not inherit. */
const OWN: ReadonlySet<string> = new Set(['strategy', 'targets', 'weight', 'name'])

/** Target of a config with its place in the strategy. */
interface PlacedTarget {
  readonly target: Section
  readonly path: readonly PropertyKey[]
  /** Name that callers use. */
  readonly name: string
  /** Model if the target sets none: the name that callers use, if a condition compares it. */
  readonly model?: string | undefined
  /** Order of calls, lowest first. */
  readonly order: number
  readonly weight: number
}

type Remarks = (readonly [Parameters<UpstreamContext['remark']>[0], readonly PropertyKey[], string])[]

/**
 * Translates a config of Portkey. Targets with `override_params.model` become an alias that is named like the file, and
 * targets without a model become providers of any model.
 * @param value parsed content of the file
 * @throws HeadgateError for an invalid config.
 * @see https://portkey.ai/docs/product/ai-gateway/configs
 * @see https://github.com/Portkey-AI/gateway/blob/main/src/types/requestBody.ts
 */
export function translatePortkey(value: unknown, { path, adapters, environment }: TranslationOptions): Translation {
  const result = file.safeParse(value)
  if (!result.success) throw configError(path, problemsOf(result.error, { schema: file, value, secret: () => true }))
  const config = snakeCased(result.data)
  const name = slug(basename(path, extname(path))) || 'portkey'
  const remarks: Remarks = []
  const placed = targetsOf(config, name, remarks)
  const entries = placed.flatMap((one) => entryOf(one, remarks) ?? [])
  if (entries.some((one) => one.name === name))
    remarks.push(['otherwise', ['override_params', 'model'], `callers send \`model: "${name}"\` instead of the config`])
  const isMixed = new Set(entries.filter(({ name }) => name.endsWith('/*')).map((one) => one.name)).size > 1
  if (isMixed)
    remarks.push([
      'left',
      ['strategy'],
      'requests are not distributed over providers without a model: set `override_params.model` of each target, and import again',
    ])
  return translateForeign(
    {
      entries,
      remarkOthers(remark) {
        for (const [kind, at, text] of remarks) remark(kind, at, text)
        remarkTarget(config, [], remark)
      },
    },
    { adapters, environment },
  )
}

/** Object with fields in snake case. Portkey accepts both spellings. */
function snakeCased(one: Section): Section {
  const fields = Object.entries(one).map(([name, value]): [string, unknown] => {
    const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (field === 'strategy' && isSection(value)) return [field, snakeCased(value)]
    if (field === 'targets' && Array.isArray(value)) return [field, value.filter(isSection).map(snakeCased)]
    return [field, value]
  })
  return Object.fromEntries(fields)
}

function children(one: Section): readonly Section[] {
  return Array.isArray(one['targets']) ? one['targets'].filter(isSection) : []
}

function targetsOf(config: Section, name: string, remarks: Remarks): PlacedTarget[] {
  const placed: PlacedTarget[] = []
  const strategy = isSection(config['strategy']) ? config['strategy'] : {}
  if (strategy['mode'] !== 'conditional') {
    flatten({ target: config, path: [], name, order: 0, weight: 1 }, undefined, placed)
    return placed
  }
  const targets = children(config)
  const place = (wanted: unknown, alias: string, model?: string): void => {
    const index = targets.findIndex((one) => one['name'] === wanted)
    const target = targets[index]
    if (!target) remarks.push(['left', ['strategy'], `there is no target ${JSON.stringify(wanted)}`])
    else {
      const at = { path: ['targets', index], name: alias, model, order: 0, weight: 1 }
      flatten({ ...at, target: inherited(config, target) }, undefined, placed)
    }
  }
  for (const [index, condition] of sections(strategy['conditions']).entries()) {
    const models = comparedModels(condition['query'])
    for (const model of models) place(condition['then'], model, model)
    if (models.length === 0)
      remarks.push([
        'left',
        ['strategy', 'conditions', index],
        'only conditions on `params.model` can be carried over, as aliases: callers send the name of a model',
      ])
  }
  if (strategy['default'] !== undefined) place(strategy['default'], name)
  return placed
}

function sections(value: unknown): readonly Section[] {
  return Array.isArray(value) ? value.filter(isSection) : []
}

/** Models that a condition compares with `params.model`; empty if it compares anything else. */
function comparedModels(query: unknown): readonly string[] {
  if (!isSection(query) || Object.keys(query).length !== 1) return []
  const wanted = query['params.model']
  const value = isSection(wanted) ? (wanted['$eq'] ?? wanted['$in']) : wanted
  return [value]
    .flat()
    .filter((one) => typeof one === 'string')
    .filter((one) => one !== '')
}

/** Fields of a target, including inherited ones. */
function inherited(parent: Section, target: Section): Section {
  const fields = Object.entries(parent).filter(([name]) => !OWN.has(name))
  return Object.fromEntries([...fields, ...Object.entries(target)])
}

/**
 * Adds the targets below a target, with orders for fallbacks and weights for load balancing.
 * @param share weight of the parent among its siblings; undefined = it has none
 * @returns the order after the last one
 */
function flatten(place: PlacedTarget, share: number | undefined, out: PlacedTarget[]): number {
  const { target, path, order } = place
  const targets = children(target)
  if (targets.length === 0) {
    out.push({ ...place, weight: share ?? place.weight })
    return order + 1
  }
  const mode = isSection(target['strategy']) ? target['strategy']['mode'] : 'single'
  const weights = targets.map(({ weight }) => (typeof weight === 'number' && weight > 0 ? weight : 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let next = order
  for (const [index, one] of (mode === 'single' ? targets.slice(0, 1) : targets).entries()) {
    const own = weights[index] ?? 1
    const isBalanced = mode === 'loadbalance'
    const part = isBalanced ? (share === undefined ? own : (share * own) / total) : share
    const at = { ...place, target: inherited(target, one), path: [...path, 'targets', index] }
    const end = flatten({ ...at, order: isBalanced ? order : next }, part, out)
    next = Math.max(next, end)
  }
  return next
}

/** Provider and credential of a target. */
interface TargetProvider {
  /** Portkey's name of the provider. */
  readonly provider: string
  /** Slug of a credential that Portkey stores. */
  readonly stored?: string | undefined
}

/** Provider of a target: by name, or by the slug of a credential, such as `@openai-prod`. */
function providerOf({ provider, virtual_key: key }: Section, model: string | undefined): TargetProvider | undefined {
  const named = /^@([^/]+)\//.exec(model ?? '')?.[1]
  const text = typeof provider === 'string' && provider !== '' ? provider : undefined
  const stored =
    named ?? (text?.startsWith('@') ? text.slice(1) : typeof key === 'string' && key !== '' ? key : undefined)
  if (text !== undefined && !text.startsWith('@')) return { provider: text, stored }
  const known = [...Object.keys(WORDS), ...VENDORS.keys()].sort((a, b) => b.length - a.length)
  const guess = known.find((one) => stored === one || stored?.startsWith(`${one}-`))
  return guess === undefined ? undefined : { provider: guess, stored }
}

function entryOf(
  { target, path, name, model: compared, order, weight }: PlacedTarget,
  remarks: Remarks,
): ForeignEntry | undefined {
  const overrides = isSection(target['override_params']) ? target['override_params'] : {}
  const wanted = [overrides['model'], target['deployment_id'], compared].find(
    (one) => typeof one === 'string' && one !== '',
  )
  const sent = typeof wanted === 'string' ? wanted : undefined
  const found = providerOf(target, sent)
  if (!found) {
    remarks.push(['left', path, 'the provider is unknown: set `provider`, such as "openai", and import again'])
    return undefined
  }
  const { provider, stored } = found
  const word = WORDS[provider] ?? provider
  const model = sent?.replace(/^@[^/]+\//, '')
  const variable = stored === undefined ? undefined : `${stored.toUpperCase().replace(/\W/g, '_')}_API_KEY`
  if (variable !== undefined)
    remarks.push(['otherwise', path, `Portkey stores the key ${JSON.stringify(stored)}: set its value in ${variable}`])
  const timeout = target['request_timeout']
  const params = given({
    ...Object.fromEntries(PARAMETERS.map((field) => [PARAMETER_OF[field] ?? field, target[field]])),
    ...(variable !== undefined && { api_key: `os.environ/${variable}` }),
    api_base: target['custom_host'] ?? resourceBase(target['resource_name']),
    timeout: typeof timeout === 'number' && model !== undefined ? timeout / 1000 : undefined,
    order,
    weight,
  })
  const shared = `${provider}/*`
  return {
    name: model === undefined ? shared : name,
    params: { ...params, model: `${word}/${model ?? '*'}` },
    names: NAMES,
    origin: model === undefined ? { path, pool: shared, group: shared } : { path },
  }
}

function resourceBase(resource: unknown): string | undefined {
  return typeof resource === 'string' && resource !== '' ? `https://${resource}.openai.azure.com` : undefined
}

function remarkTarget(one: Section, path: readonly PropertyKey[], remark: UpstreamContext['remark']): void {
  remarkSection(one, path, SETTINGS, remark)
  remarkSection(one['strategy'], [...path, 'strategy'], STRATEGY, remark)
  const overrides = isSection(one['override_params']) ? one['override_params'] : {}
  for (const name of Object.keys(overrides))
    if (name !== 'model') remark('left', [...path, 'override_params', name], 'callers send it with their requests')
  for (const [index, target] of children(one).entries()) remarkTarget(target, [...path, 'targets', index], remark)
}

import type { Deployment, EntryOrigin } from './deployment.ts'
import { isSection, type LiteLLMEntry, type LiteLLMFile, type Section } from './file.ts'
import { deploymentLimits, isLimit } from './limits.ts'
import { isPrice, priceOf, unreadPrices } from './price.ts'
import { hasPath, takes } from './serving.ts'
import { type EntryUpstream, type UpstreamContext, upstreamOf } from './upstream.ts'

const LAST = Number.POSITIVE_INFINITY

const RETRIES = 'the number of retries cannot be configured (docs/routing.md)'
const BUDGETS = 'budgets apply to keys, projects and all keys together, not to a deployment (docs/budgets.md)'
const TOKENS = 'providers are called with a key, or with tenant, client and secret: set them, and import again'
const ROLES =
  'roles are not assumed: set access keys, or set `machine` to true if the machine or container has the role'
const DROPS =
  'unsupported parameters are removed from the request to the provider, and named in the header `headgate-lost`'

/** Remarks on parameters. Other parameters get {@link PARAMETER}. */
const PARAMETERS = new Map(
  Object.entries({
    max_retries: RETRIES,
    max_budget: BUDGETS,
    budget_duration: BUDGETS,
    drop_params: DROPS,
    additional_drop_params: DROPS,
    tags: 'set `labels` of the endpoint; requests select labels with the header `headgate-policy` (docs/routing.md)',
    mock_response: 'the provider `demo` responds without a key',
    azure_ad_token: TOKENS,
    tenant_id: TOKENS,
    client_id: TOKENS,
    client_secret: TOKENS,
    token: TOKENS,
    zen_api_key: TOKENS,
    aws_role_name: ROLES,
    aws_session_name: ROLES,
    aws_web_identity_token: ROLES,
    aws_external_id: ROLES,
    aws_sts_endpoint: ROLES,
    soft_budget: BUDGETS,
    default_api_key_rpm_limit: 'set `limits` of an entry in `keys`, or use `headgate keys create --rpm`',
    default_api_key_tpm_limit: 'set `limits` of an entry in `keys`',
  }),
)
/** Parameters that {@link described} reads. */
const READ: ReadonlySet<string> = new Set(['order', 'weight', 'timeout', 'stream_timeout', 'region_name'])
const REGION = 'the label `region` of this provider is its own region: set `aws_region_name`, and import again'
const NO_NUMBER = 'is not a number of seconds: set `firstByte` of the alias, in milliseconds'
const PARAMETER = 'is not a model setting: callers send it with their requests'

/**
 * Fields of `model_info` with a remark. The other fields only describe the model, which Headgate knows from the
 * provider.
 */
const ACCESS = ['access_groups', 'team_id', 'supported_environments', 'access_windows']

/**
 * Entries of `model_list` that Headgate can serve, in order. `origins` has the origins of entries from another format.
 */
export function deploymentsOf(
  file: LiteLLMFile,
  context: UpstreamContext,
  origins: readonly EntryOrigin[] = [],
): Deployment[] {
  const credentials = new Map(
    (file.credential_list ?? []).map((one) => [one.credential_name, one.credential_values ?? {}]),
  )
  return (file.model_list ?? []).flatMap((entry, index) => {
    const origin = origins[index]
    const path = origin?.path ?? ['model_list', index]
    const mode = entry.model_info?.['mode']
    if (!hasPath(mode)) {
      context.remark(
        'left',
        [...path, 'model_info', 'mode'],
        `Headgate has no path for models with the mode ${String(mode)}`,
      )
      return []
    }
    const given = withCredential(entry, credentials)
    const upstream = upstreamOf(given, path, context)
    if (!upstream) return []
    remarkRest(given, upstream, path, context)
    const { output, price, ...more } = described(given, path, file)
    return [
      {
        ...upstream,
        ...more,
        ...routed(given, upstream, path, context),
        ...(output !== undefined && { output }),
        ...(price && { price }),
        pool: origin?.pool ?? JSON.stringify([given.model_name, upstream.model]),
        group: origin?.group ?? given.model_name,
        path,
      },
    ]
  })
}

/** Settings of a deployment for routing. */
function routed(
  { litellm_params: given }: LiteLLMEntry,
  { adapter }: EntryUpstream,
  path: readonly PropertyKey[],
  { remark }: UpstreamContext,
): Pick<Deployment, 'weight' | 'region' | 'firstByte'> {
  const { weight, region_name: region } = given
  const at = [...path, 'litellm_params']
  const isRegional = takes(adapter, 'region')
  if (isRegional && typeof region === 'string') remark('left', [...at, 'region_name'], REGION)
  const times = ['stream_timeout', 'timeout'].flatMap((name) => {
    const value = given[name] ?? undefined
    if (typeof value === 'number' && value > 0)
      return [{ value: Math.min(Math.ceil(value * 1000), Number.MAX_SAFE_INTEGER), path: [...at, name] }]
    if (value !== undefined) remark('left', [...at, name], NO_NUMBER)
    return []
  })
  const [firstByte] = times
  return {
    ...(typeof weight === 'number' && { weight }),
    ...(typeof region === 'string' && region !== '' && !isRegional && { region }),
    ...(firstByte && { firstByte }),
  }
}

function withCredential(entry: LiteLLMEntry, credentials: ReadonlyMap<string, Section>): LiteLLMEntry {
  const name = entry.litellm_params['litellm_credential_name']
  const values = typeof name === 'string' ? credentials.get(name) : undefined
  return values ? { ...entry, litellm_params: { ...values, ...entry.litellm_params } } : entry
}

function described(entry: LiteLLMEntry, path: readonly PropertyKey[], file: LiteLLMFile) {
  const { model_name, litellm_params, model_info } = entry
  const { order } = litellm_params
  const info = model_info ?? {}
  const { id, base_model: base } = info
  const price = priceOf({ ...info, ...litellm_params })
  return {
    alias: model_name,
    order: typeof order === 'number' ? order : LAST,
    ...(id !== undefined && id !== null && { id: String(id) }),
    ...(typeof base === 'string' && base !== '' && { is: base.slice(base.lastIndexOf('/') + 1) }),
    price,
    output: outputOf(info),
    limits: deploymentLimits(entry, path, file),
  }
}

/**
 * Maximum output of a model. LiteLLM's `max_tokens` of a model is also its maximum output. @see
 * https://docs.litellm.ai/docs/proxy/configs
 */
function outputOf({ max_output_tokens: output, max_tokens: tokens }: Section): number | undefined {
  return [output, tokens].find((value) => typeof value === 'number' && Number.isInteger(value) && value > 0) as
    | number
    | undefined
}

function remarkRest(
  { litellm_params, model_info }: LiteLLMEntry,
  { carried }: EntryUpstream,
  path: readonly PropertyKey[],
  { remark }: UpstreamContext,
): void {
  for (const [name, value] of Object.entries(litellm_params)) {
    if (value === undefined || value === null || READ.has(name) || isPrice(name) || isLimit(name) || carried.has(name))
      continue
    remark('left', [...path, 'litellm_params', name], PARAMETERS.get(name) ?? PARAMETER)
  }
  for (const [section, given] of Object.entries({ litellm_params, model_info: model_info ?? {} }))
    for (const name of unreadPrices(given)) remark('left', [...path, section, name], '`prices` has no such rate')
  for (const name of ACCESS)
    if (isSection(model_info) && model_info[name] !== undefined)
      remark(
        'left',
        [...path, 'model_info', name],
        'access to models is set per key: `models` of an entry in `keys`, or `headgate keys create --models`',
      )
}

import type { ProviderConfig } from '@headgate/discovery'
import type { ImportedConfig } from './config.ts'
import type { Deployment } from './deployment.ts'
import { accountOf, endpointsOf, type ProviderEndpoints } from './endpoints.ts'
import { slug } from './serving.ts'
import type { Shares } from './shares.ts'
import type { UpstreamContext } from './upstream.ts'

/** Part of the configuration for LiteLLM's deployments. */
export interface TranslatedProviders {
  readonly providers: Record<string, ProviderConfig>
  /** Target of a deployment in aliases. */
  targetOf(deployment: Deployment): string
  /** True if the provider of a deployment has several accounts. Its endpoints then have the weights. */
  isPooled(deployment: Deployment): boolean
  readonly prices: NonNullable<ImportedConfig['prices']>
  /** True if a provider of any model has several accounts, which no alias names. */
  readonly hasOpenPool: boolean
}

interface ProviderGroup {
  readonly name: string
  readonly deployments: readonly Deployment[]
  /** True if the provider serves any model. */
  readonly isOpen: boolean
}

const ANY = '*'

/** Providers for deployments. Deployments of one pool and one vendor are endpoints of one provider. */
export function providersOf(
  deployments: readonly Deployment[],
  shares: Shares,
  context: UpstreamContext,
): TranslatedProviders {
  const instances = instancesOf(deployments, context).map((one) => ({
    ...one,
    placed: endpointsOf(one.deployments, shares),
  }))
  const instanceOf = new Map(instances.flatMap((one) => one.deployments.map((own) => [own, one] as const)))
  const targetOf = (one: Deployment) => `${instanceOf.get(one)?.name}/${one.model}`
  // A provider of any model may list ids that look like a target, so providers with named models come first.
  const ordered = [...instances.filter(({ isOpen }) => !isOpen), ...instances.filter(({ isOpen }) => isOpen)]
  const providers = Object.fromEntries(
    ordered.map((instance) => [instance.name, configOf(instance, instance.placed, targetOf, context)]),
  )
  const priced = deployments.filter(({ price, model }) => price && !model.includes(ANY))
  const prices = Object.fromEntries(priced.map((one) => [targetOf(one), { input: 0, output: 0, ...one.price }]))
  return {
    providers,
    targetOf,
    isPooled: (one) => instanceOf.get(one)?.placed.isPooled ?? false,
    prices,
    hasOpenPool: instances.some(({ isOpen, placed }) => isOpen && placed.isPooled),
  }
}

/** Key of accounts that can be endpoints of one provider, because the same kinds of credentials are configured. */
function kindOf({ adapter, word, fields }: Deployment): string {
  const names = Object.keys(fields).filter((field) => field !== 'baseUrl' && field !== 'headers')
  return JSON.stringify([adapter.id, word, names.sort()])
}

/** Deployments by provider. Accounts are joined if they are of one kind and share a pool. */
function joined(deployments: readonly Deployment[]): Deployment[][] {
  const groups = new Map<string, Deployment[]>()
  const rootOf = new Map<string, string>()
  const find = (key: string): string => {
    const parent = rootOf.get(key)
    return parent === undefined || parent === key ? key : find(parent)
  }
  for (const one of deployments) {
    const [account, pool] = [find(accountOf(one)), find(`${kindOf(one)} ${one.pool}`)]
    if (account !== pool) rootOf.set(pool, account)
  }
  for (const one of deployments) {
    const root = find(accountOf(one))
    groups.set(root, [...(groups.get(root) ?? []), one])
  }
  return [...groups.values()]
}

function instancesOf(deployments: readonly Deployment[], context: UpstreamContext): ProviderGroup[] {
  const names = new Set<string>()
  const named = joined(deployments).map((all) => ({
    deployments: all,
    prefix: prefixOf(all),
    isOpen: all.some(({ model }) => model.includes(ANY)),
  }))
  // Callers use the name of a provider of any model, so it gets its name first.
  const inTurn = [...named.filter(({ isOpen }) => isOpen), ...named.filter(({ isOpen }) => !isOpen)]
  const nameOf = new Map(
    inTurn.map((one) => {
      const name = freeName(one.prefix, one.deployments, names, context)
      names.add(name)
      return [one, name]
    }),
  )
  const instances = named.map((one) => ({ ...one, name: nameOf.get(one) ?? '' }))
  for (const { name, deployments } of instances) remarkPrefixes(name, deployments, context)
  return instances
}

/** Prefix that callers use, such as `openai` in `openai/*`. */
function prefixOf(deployments: readonly Deployment[]): string | undefined {
  const prefixes = deployments.flatMap(
    ({ alias, model }) => (model.includes(ANY) && /^([^/*]+)\/\*$/.exec(alias)?.[1]) || [],
  )
  return prefixes.map(slug).find((one) => one !== '')
}

function remarkPrefixes(name: string, deployments: readonly Deployment[], { remark }: UpstreamContext): void {
  for (const { alias, model } of deployments) {
    if (!model.includes(ANY) || alias === `${name}/${ANY}`) continue
    remark('otherwise', ['model_list', alias], `is called as \`${name}/<model>\`, or by an id that the provider lists`)
  }
}

function freeName(
  prefix: string | undefined,
  [first]: readonly Deployment[],
  taken: ReadonlySet<string>,
  { adapters }: UpstreamContext,
): string {
  const wanted = prefix ?? first?.name ?? ''
  // A provider with the name of another adapter would disable that adapter.
  const isOthers = adapters.some(({ id }) => id === wanted && id !== first?.adapter.id) || wanted === 'auto'
  const name = isOthers ? `${wanted}-server` : wanted
  const names = [name, ...Array.from({ length: taken.size + 1 }, (_, index) => `${name}-${index + 2}`)]
  return names.find((one) => !taken.has(one)) ?? name
}

function configOf(
  { name, deployments, isOpen }: ProviderGroup,
  { fields, endpoints }: ProviderEndpoints,
  targetOf: (one: Deployment) => string,
  context: UpstreamContext,
): ProviderConfig {
  const [first] = deployments
  const { adapter } = first ?? {}
  const models = Object.fromEntries(deployments.map((one) => [targetOf(one), deploymentConfig(one)]))
  if (isOpen)
    for (const { alias, output } of deployments)
      if (output !== undefined)
        context.remark(
          'left',
          ['model_list', alias],
          'models of a provider that serves any model cannot have an output limit',
        )
  return {
    ...(adapter && adapter.id !== name && { adapter: adapter.id }),
    ...fields,
    ...environmentFields(first, name, context),
    ...(endpoints && { endpoints }),
    ...(!isOpen && { models }),
  }
}

/** Configuration of a deployment: only a name if nothing else is set. */
function deploymentConfig({
  model,
  is,
  output,
}: Deployment): string | { upstream: string; is?: string; output?: number } {
  if (is === undefined && output === undefined) return model
  return { upstream: model, ...(is !== undefined && { is }), ...(output !== undefined && { output }) }
}

/**
 * Credentials that LiteLLM's file does not have. A provider named like its adapter reads them from the environment
 * itself.
 */
function environmentFields(
  first: Deployment | undefined,
  name: string,
  { variables }: UpstreamContext,
): Record<string, string> {
  const needed = Object.entries(first?.environment ?? {}).filter(
    ([, one]) => !one.isOptional || variables.valueOf(one.variable) !== undefined,
  )
  const written = needed.map(([field, { variable, isFile }]) => {
    if (first?.adapter.id === name || !isFile) return [field, variables.named([variable])] as const
    return [
      field,
      variables.fileText(`${variable} of ${name}`, variable, `${name}_${field}`.toUpperCase().replace(/\W/g, '_')),
    ] as const
  })
  return first?.adapter.id === name ? {} : Object.fromEntries(written)
}

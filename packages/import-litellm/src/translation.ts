import { type Environment, pathText } from '@headgate/discovery/config'
import { aliasesOf } from './aliases.ts'
import type { ImportedConfig } from './config.ts'
import type { Deployment, EntryOrigin } from './deployment.ts'
import { deploymentsOf } from './deployments.ts'
import { checkLiteLLM, type LiteLLMFile, type Section } from './file.ts'
import { carriedBudget, carriedLimits } from './limits.ts'
import { providersOf } from './providers.ts'
import type { Remark } from './report.ts'
import type { ProviderLoaded } from './serving.ts'
import { carriedSettings, remarkSettings, SHARED_PARAMETERS, variablesSetBy } from './settings.ts'
import { sharesOf } from './shares.ts'
import { policyOf, remarkChecks } from './strategy.ts'
import type { UpstreamContext } from './upstream.ts'
import { createVariables, type Needed } from './variables.ts'
import { VENDORS } from './vendors.ts'

/** Headgate configuration for a LiteLLM configuration, with remarks. */
export interface Translation {
  /** Configuration with variables instead of secrets. */
  readonly config: ImportedConfig
  readonly needed: readonly Needed[]
  readonly remarks: readonly Remark[]
}

export interface TranslationOptions {
  /** Name of the file in errors. */
  readonly path: string
  /** Installed provider adapters: `loadProviders()` of `@headgate/discovery`. */
  readonly adapters: readonly ProviderLoaded[]
  /** Environment, for the choice among several variables of a key. */
  readonly environment: Environment
}

/**
 * Translates a configuration of LiteLLM's proxy.
 * @param value parsed content of the file
 * @throws HeadgateError for an invalid configuration.
 */
export function translateLiteLLM(value: unknown, { path, adapters, environment }: TranslationOptions): Translation {
  const file = checkLiteLLM(value, path)
  const remarks: Remark[] = []
  const context: UpstreamContext = {
    adapters,
    variables: createVariables(environment, reservedNames(file)),
    shared: sharedParameters(file),
    remark: (kind, path, text) => void remarks.push({ kind, path: pathText(path), text }),
  }
  const { deployments, ...routed } = routedConfig(file, context)
  const { keys, times } = carriedSettings(file, context)
  const { limits } = carriedLimits(file, deployments, context)
  const { budgets } = carriedBudget(file, context)
  remarkChecks(file, context)
  remarkSettings(file, context)

  const needed = context.variables.needed().map((one) => withPlace(one, file))
  const others = variablesSetBy(file).filter((name) => !needed.some((one) => one.name === name))
  if (others.length > 0)
    context.remark('left', ['environment_variables'], `the gateway sets no variables: ${others.join(', ')}`)
  const config: ImportedConfig = {
    ...(keys && { keys }),
    ...routed,
    ...(times && { times }),
    ...(limits && { limits }),
    ...(budgets && { budgets }),
  }
  return { config, needed, remarks }
}

type RoutedConfig = Pick<ImportedConfig, 'providers' | 'models' | 'routing' | 'prices'> & {
  readonly deployments: readonly Deployment[]
}

/** Providers, aliases and routing for the entries of `model_list`, and for fallbacks and strategies. */
export function routedConfig(
  file: LiteLLMFile,
  context: UpstreamContext,
  origins: readonly EntryOrigin[] = [],
): RoutedConfig {
  const deployments = deploymentsOf(file, context, origins)
  const shares = sharesOf(deployments, context)
  const { providers, prices, hasOpenPool, ...parts } = providersOf(deployments, shares, context)
  const policy = policyOf(file, context)
  const usual = hasOpenPool ? policy : 'priority'
  const models = aliasesOf(file, deployments, { ...parts, shares, policy, usual }, context)
  return {
    deployments,
    providers,
    ...(Object.keys(models).length > 0 && { models }),
    ...(usual !== 'priority' && { routing: { policy: usual } }),
    ...(Object.keys(prices).length > 0 && { prices }),
  }
}

/** Parameters that apply to all entries. */
function sharedParameters({ litellm_settings: settings }: LiteLLMFile): Section {
  return Object.fromEntries(SHARED_PARAMETERS.map((name) => [name, settings?.[name]]))
}

/** Adds the location of the value of a variable that LiteLLM sets itself. */
function withPlace(one: Needed, file: LiteLLMFile): Needed {
  if (one.at !== undefined || one.file !== undefined || !variablesSetBy(file).includes(one.name)) return one
  return { name: one.name, at: pathText(['environment_variables', one.name]) }
}

/** Variables that the file refers to, and default variables of keys that the file does not have. */
export function reservedNames(file: LiteLLMFile): Set<string> {
  const referred = [...JSON.stringify(file).matchAll(/os\.environ\/([\w-]+)/g)].map(([, name = '']) =>
    name.replace(/\W/g, '_'),
  )
  const usual = (file.model_list ?? []).flatMap(
    ({ litellm_params: { model, api_key: key, litellm_credential_name: shared } }) =>
      (key ?? shared ?? undefined) === undefined ? (VENDORS.get(model.split('/', 1)[0] ?? '')?.keys ?? []) : [],
  )
  return new Set([...referred, ...usual])
}

import type { AliasConfig, RoutingConfig } from './routing.ts'

/** Models of an alias in order of preference. */
export function aliasModels(alias: AliasConfig): string[] {
  if (typeof alias === 'string') return [alias]
  const targets = Array.isArray(alias) ? alias : alias.targets
  return targets.map((target) => (typeof target === 'string' ? target : target.model))
}

/** Options of an alias; undefined if it has only models. */
export function aliasOptions(alias: AliasConfig): Exclude<AliasConfig, string | string[]> | undefined {
  return typeof alias === 'string' || Array.isArray(alias) ? undefined : alias
}

/** Definition of an alias, as the management API shows it. */
export function aliasDefinition(alias: AliasConfig, routing: Pick<RoutingConfig, 'policy'> = {}) {
  const options = aliasOptions(alias)
  const targets = options?.targets ?? aliasModels(alias)
  const { policy: own, minContext, maxPrice, labels, firstByte, hedge } = options ?? {}
  const policyFrom = own !== undefined ? 'alias' : routing.policy !== undefined ? 'routing' : 'default'
  return {
    targets: targets.map((target) => (typeof target === 'string' ? { model: target } : target)),
    policy: own ?? routing.policy ?? 'priority',
    policyFrom,
    ...(minContext !== undefined && { minContext }),
    ...(maxPrice && { maxPrice }),
    ...(labels && {
      labels: Object.fromEntries(
        Object.entries(labels).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]),
      ),
    }),
    ...(firstByte !== undefined && { firstByte }),
    ...(hedge !== undefined && { hedge }),
  } as const
}

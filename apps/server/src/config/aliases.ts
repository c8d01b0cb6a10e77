import type { AliasConfig } from './routing.ts'

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

import type { ProviderAdapter } from '@headgate/core'
import type { Environment } from '../config/substitution.ts'

/** The fields of an adapter's configuration that the environment gives: of each, the first variable that is set and not empty. */
export function environmentConfig(adapter: ProviderAdapter, environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables(adapter)).flatMap(([field, names]) => {
      const value = names.map((name) => environment[name]).find((one) => one)
      return value ? [[field, value]] : []
    }),
  )
}

/** The variables that gave these fields. */
export function variablesSet(adapter: ProviderAdapter, environment: Environment): string[] {
  return Object.values(variables(adapter)).flatMap((names) => names.find((name) => environment[name]) ?? [])
}

/** The variables that may give a field: `A or B`. */
export function variablesOf(adapter: ProviderAdapter, field: string): string | undefined {
  return variables(adapter)[field]?.join(' or ')
}

function variables({ env }: ProviderAdapter): Readonly<Record<string, readonly string[]>> {
  return env
}

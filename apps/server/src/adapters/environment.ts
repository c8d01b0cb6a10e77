import type { Environment } from '../config/substitution.ts'
import type { Adapter } from './adapter.ts'

type Variables = Pick<Adapter<unknown>, 'env'>

/** The fields of an adapter's configuration that the environment gives: of each, the first variable that is set and not empty. */
export function environmentConfig({ env }: Variables, environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([field, names]) => {
      const value = names.map((name) => environment[name]).find((one) => one)
      return value ? [[field, value]] : []
    }),
  )
}

/** The variables that gave these fields. */
export function variablesSet({ env }: Variables, environment: Environment): string[] {
  return Object.values(env).flatMap((names) => names.find((name) => environment[name]) ?? [])
}

/** The variables that may give a field: `A or B`. */
export function variablesOf({ env }: Variables, field: string): string | undefined {
  return env[field]?.join(' or ')
}

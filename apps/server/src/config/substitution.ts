import { type ConfigProblem, type Environment, pathText } from '@headgate/discovery/config'

export type { Environment }

/**
 * Replaces `${NAME}` in every string with the environment variable. An unset or empty variable is a problem. Disabled
 * providers and search backends need none of their variables.
 */
export function substitute(value: unknown, environment: Environment): { value: unknown; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = []

  const visit = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof node === 'string') return replace(node, path)
    if (Array.isArray(node)) return node.map((item, index) => visit(item, [...path, index]))
    if (!isPlainObject(node)) return node
    if (node['enabled'] === false && isAdapterEntry(path)) return node
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, visit(item, [...path, key])]))
  }

  const replace = (text: string, path: readonly PropertyKey[]): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name]
      if (!found) problems.push({ path: pathText(path), message: `the environment variable ${name} is not set` })
      return found ?? ''
    })

  return { value: visit(value, []), problems }
}

function isAdapterEntry([part, inner, ...rest]: readonly PropertyKey[]): boolean {
  if (part === 'search') return inner === 'backends' && rest.length === 1
  return (part === 'providers' || part === 'sinks') && inner !== undefined && rest.length === 0
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import type { AdapterPackage } from './manifest.ts'

/** Condition under which packages of this repository resolve to their sources. */
const SOURCE = '@headgate/source'
const CONDITIONS = ['node', 'import', 'module-sync', 'default']

/** True if this process runs with the condition `@headgate/source`. */
export function runsFromSource(
  execArgv: readonly string[] = process.execArgv,
  nodeOptions = process.env['NODE_OPTIONS'] ?? '',
): boolean {
  const options = [...execArgv, ...nodeOptions.split(/\s+/)]
  return options.some((option, index) => {
    const [flag, value] = option.split('=', 2)
    return (flag === '--conditions' || flag === '-C') && (value ?? options[index + 1]) === SOURCE
  })
}

/** File that an import of the package loads. */
export function entryFile({ name, path, exports }: AdapterPackage, fromSource: boolean): string {
  const root = typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports
  const targets = [...(fromSource ? [target(root, [SOURCE])] : []), target(root, CONDITIONS)].filter(
    (one) => one !== undefined,
  )
  const file = targets.map((one) => join(path, one)).find((one) => existsSync(one))
  if (file) return file

  const reason =
    targets.length === 0
      ? 'its package.json has no `exports` for an import'
      : `${join(path, targets[0] ?? '')} does not exist. Build the package`
  throw new HeadgateError('invalid-request', `The adapter ${name} (${path}) cannot be loaded: ${reason}.`)
}

/** First target with matching conditions, as in Node. */
function target(entry: unknown, conditions: readonly string[]): string | undefined {
  if (typeof entry === 'string') return entry
  if (Array.isArray(entry)) return entry.map((one) => target(one, conditions)).find((one) => one !== undefined)
  if (typeof entry !== 'object' || entry === null) return undefined
  return Object.entries(entry)
    .filter(([condition]) => conditions.includes(condition))
    .map(([, value]) => target(value, conditions))
    .find((one) => one !== undefined)
}

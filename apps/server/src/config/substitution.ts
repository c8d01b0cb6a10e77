import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ConfigProblem, type Environment, pathText } from '@headgate/discovery/config'

export type { Environment }

/** Maximum size of a file that a reference names, in bytes. */
const MAX_BYTES = 65_536
/** `${NAME}` or `${file:path}`. */
const REFERENCE = /\$\{(?:file:([^}]+)|([A-Za-z_][A-Za-z0-9_]*))\}/g

/** Values that references of a configuration can name. */
export interface ReferenceSources {
  readonly environment: Environment
  /** Folder that relative paths of files begin at. */
  readonly folder: string
}

export interface Substitution {
  readonly value: unknown
  readonly problems: ConfigProblem[]
  /** Absolute paths of the files that references name, also of missing ones. */
  readonly files: readonly string[]
}

/**
 * Replaces `${NAME}` in every string with the environment variable, and `${file:path}` with the content of the file
 * without its last line break. An unset or empty variable and a missing or empty file are problems. Disabled providers
 * and search backends need none of them.
 */
export function substitute(value: unknown, { environment, folder }: ReferenceSources): Substitution {
  const problems: ConfigProblem[] = []
  const files = new Set<string>()

  const visit = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof node === 'string') return replace(node, path)
    if (Array.isArray(node)) return node.map((item, index) => visit(item, [...path, index]))
    if (!isPlainObject(node)) return node
    if (node['enabled'] === false && isAdapterEntry(path)) return node
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, visit(item, [...path, key])]))
  }

  const replace = (text: string, path: readonly PropertyKey[]): string =>
    text.replace(REFERENCE, (_, file: string | undefined, name: string) => {
      const problem = (message: string): string => {
        problems.push({ path: pathText(path), message })
        return ''
      }
      if (file === undefined) return environment[name] || problem(`the environment variable ${name} is not set`)
      const absolute = resolve(folder, file)
      files.add(absolute)
      const { content, reason } = contentOf(absolute)
      return content ?? problem(`the file ${absolute} ${reason}`)
    })

  return { value: visit(value, []), problems, files: [...files] }
}

type FileContent =
  | { readonly content: string; readonly reason?: undefined }
  | { readonly content?: undefined; readonly reason: string }

function contentOf(file: string): FileContent {
  try {
    const bytes = readFileSync(file)
    if (bytes.length > MAX_BYTES) return { reason: `has more than ${MAX_BYTES} bytes` }
    const content = bytes.toString('utf8').replace(/\r?\n$/, '')
    return content === '' ? { reason: 'is empty' } : { content }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { reason: code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}` }
  }
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

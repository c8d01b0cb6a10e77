import type { Environment } from '@headgate/discovery/config'

/** Environment variable that the written configuration needs. */
export interface Needed {
  readonly name: string
  /** Path of the value in the imported file. */
  readonly at?: string
  /** Path in the imported file, or variable, that names a file. Its content is the value of the variable. */
  readonly file?: string
}

const REFERENCE = /^os\.environ\/(.+)$/
/** Placeholders for servers without authentication. */
const NO_KEY = /^(|none|null|empty|dummy|fake|fake-key|anything|not-?needed|no-?key|sk-no-key-required)$/i

/**
 * Variables for secrets. A secret in the imported file is never copied: the configuration names a variable for it, and the
 * report names the path of its value.
 */
export interface SecretVariables {
  /** `${NAME}` for a secret: the referenced variable, or a name like `wanted`. Undefined for a placeholder. */
  secret(value: unknown, path: string, wanted: string): string | undefined
  /**
   * `${NAME}` for the content of the file that `namedBy` names: a path in the imported file or a variable. `value`
   * identifies the file.
   */
  fileText(value: string, namedBy: string, wanted: string): string
  /** `${NAME}` for the first variable that is set, else the first one. */
  named(names: readonly string[]): string
  /** String in which `os.environ/NAME` is replaced with a variable. */
  text(value: unknown): string | undefined
  /** Value of a variable during the import. */
  valueOf(name: string): string | undefined
  /** All used variables in order. */
  needed(): Needed[]
}

/**
 * Creates the variables. @param reserved variables that LiteLLM reads from its environment; secrets of the file do not
 * get these names
 */
export function createVariables(environment: Environment, reserved: ReadonlySet<string>): SecretVariables {
  /** Variable → its secret or reference. */
  const taken = new Map<string, { readonly value: string; readonly at?: string; readonly file?: string }>()

  const refer = (name: string): string => {
    if (!taken.has(name)) taken.set(name, { value: `os.environ/${name}` })
    return `\${${name}}`
  }
  const free = (wanted: string, value: string): string => {
    const names = [
      wanted,
      ...Array.from({ length: taken.size + reserved.size + 1 }, (_, index) => `${wanted}_${index + 2}`),
    ]
    return names.find((name) => !reserved.has(name) && (taken.get(name)?.value ?? value) === value) ?? wanted
  }
  const reference = (value: string): string | undefined => {
    const name = REFERENCE.exec(value)?.[1]?.trim().replace(/\W/g, '_')
    return name && refer(name)
  }

  return {
    secret(value, path, wanted) {
      if (typeof value !== 'string' || NO_KEY.test(value.trim())) return undefined
      const referred = reference(value)
      if (referred) return referred
      const name = free(wanted, value)
      if (!taken.has(name)) taken.set(name, { value, at: path })
      return `\${${name}}`
    },
    fileText(value, file, wanted) {
      const name = free(wanted, value)
      if (!taken.has(name)) taken.set(name, { value, file })
      return `\${${name}}`
    },
    named: (names) => refer(names.find((name) => environment[name]) ?? names[0] ?? 'API_KEY'),
    text: (value) => (typeof value === 'string' && value !== '' ? (reference(value) ?? value) : undefined),
    valueOf: (name) => environment[name],
    needed: () => [...taken].map(([name, { at, file }]) => ({ name, ...(at && { at }), ...(file && { file }) })),
  }
}

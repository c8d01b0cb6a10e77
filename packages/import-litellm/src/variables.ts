import type { Environment } from '@headgate/discovery/config'

/** A variable of the environment that the written configuration needs. */
export interface Needed {
  readonly name: string
  /** Where LiteLLM's file has the value itself. */
  readonly at?: string
  /** The variable holds the text of a file: the place in LiteLLM's file, or the variable, that names it. */
  readonly file?: string
}

const REFERENCE = /^os\.environ\/(.+)$/
/** What people write where a server wants no key. */
const NO_KEY = /^(|none|null|empty|dummy|fake|fake-key|anything|not-?needed|no-?key|sk-no-key-required)$/i

/**
 * The variables that stand for secrets. A secret that LiteLLM's file holds itself is never copied: the configuration
 * names a variable for it, and the report says where its value stands.
 */
export interface Variables {
  /**
   * `${NAME}` for a secret: the variable that it refers to, or one like `wanted`. Undefined where it says that there is
   * none.
   */
  secret(value: unknown, path: string, wanted: string): string | undefined
  /**
   * `${NAME}` for the text of the file that `namedBy` names: a place of LiteLLM's file or a variable. `value`
   * identifies the file.
   */
  fileText(value: string, namedBy: string, wanted: string): string
  /** `${NAME}` for the first of these that is set, else the first. */
  named(names: readonly string[]): string
  /** A text in which `os.environ/NAME` is a variable. */
  text(value: unknown): string | undefined
  /** Value of a variable at the time of the import. */
  valueOf(name: string): string | undefined
  /** All that was given out, in its order. */
  needed(): Needed[]
}

/** `reserved` are variables that LiteLLM takes from its environment: no secret of the file may have their names. */
export function createVariables(environment: Environment, reserved: ReadonlySet<string>): Variables {
  /** Variable → the secret that it stands for; a reference stands for itself. */
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

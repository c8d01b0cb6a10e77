import { HeadgateError } from '@headgate/gateway/ports'
import type { ManagementClient } from './management-client.ts'

/** Ids of projects and keys by name, which grow as a declaration is applied. */
export interface KnownIds {
  readonly projects: Map<string, string>
  /** Ids by {@link keyName}. */
  readonly keys: Map<string, string>
}

export interface ChangeContext {
  readonly client: ManagementClient
  readonly ids: KnownIds
}

/** Difference between a declaration and the gateway. */
export interface DeclarationChange {
  /** `+` creates, `~` changes, `-` removes with `--prune`. */
  readonly sign: '+' | '~' | '-'
  /** Kind and name of the object, such as `key web`. */
  readonly what: string
  /** Fields with their present and declared values. */
  readonly fields: readonly string[]
  carryOut(context: ChangeContext): Promise<void>
}

/** Name of a key in a declaration, with what makes it unique. */
export function keyName(project: string, environment: string, name: string): string {
  return JSON.stringify([project, environment, name])
}

/** Fields whose values differ, such as `limit: 5 → 10`. */
export function differences(
  present: Readonly<Record<string, unknown>>,
  declared: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(declared).flatMap(([field, value]) => {
    const [before, after] = [canonical(present[field]), canonical(value)]
    return before === after ? [] : [`${field}: ${before} → ${after}`]
  })
}

/** JSON with sorted names of fields; `none` for an absent value. */
export function canonical(value: unknown): string {
  return value === undefined || value === null ? 'none' : JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  )
}

/** Objects by name. @throws HeadgateError if two have the same name, since the declaration could mean either */
export function byName<Item extends { readonly id: string }>(
  kind: string,
  items: readonly Item[],
  nameOf: (item: Item) => string | undefined,
): ReadonlyMap<string, Item> {
  const found = new Map<string, Item>()
  for (const item of items) {
    const name = nameOf(item)
    if (name === undefined) continue
    const other = found.get(name)
    if (other)
      throw declarationError(
        `Two of the gateway's ${kind}s have the same name: ${other.id} and ${item.id}. Rename or remove one of them.`,
      )
    found.set(name, item)
  }
  return found
}

export function declarationError(message: string): HeadgateError {
  return new HeadgateError('invalid-request', message)
}

import { isObject, type Json } from '@headgate/core/canonical'
import type { ChatSupport } from '@headgate/core/contract'

type Accepted = NonNullable<ChatSupport['accepts']>

/**
 * Removes the fields that `accepts` does not list for their place.
 * @param lose called with the path of each removed field, unless it is null or an empty list
 */
export function withAccepted(body: Json, accepts: Accepted, lose: (path: string) => void): Json {
  return Object.entries(accepts).reduce(
    (out, [place, fields]) => at(out, stepsOf(place), '', new Set(fields), lose) as Json,
    body,
  )
}

/** Splits a path: `messages[*].content[text]` → `messages`, `[*]`, `content`, `[text]`. */
function stepsOf(place: string): readonly string[] {
  return place.match(/\[[^\]]*\]|[^.[\]]+/g) ?? []
}

function at(
  value: unknown,
  steps: readonly string[],
  path: string,
  fields: ReadonlySet<string>,
  lose: (path: string) => void,
): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return isObject(value) ? only(value, path, fields, lose) : value
  if (step.startsWith('[')) {
    if (!Array.isArray(value)) return value
    const kind = step.slice(1, -1)
    return changedList(value, (item, index) =>
      isKind(item, kind) ? at(item, rest, `${path}[${index}]`, fields, lose) : item,
    )
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return value
  const before = value[step]
  const after = at(before, rest, path === '' ? step : `${path}.${step}`, fields, lose)
  return after === before ? value : { ...value, [step]: after }
}

function isKind(item: unknown, kind: string): boolean {
  return kind === '*' || (isObject(item) && (item['role'] === kind || item['type'] === kind))
}

/** Maps a list. Returns the same list if no item changes. */
function changedList(list: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  const out = list.map(change)
  return out.some((item, index) => item !== list[index]) ? out : list
}

function only(value: Json, path: string, fields: ReadonlySet<string>, lose: (path: string) => void): Json {
  const refused = Object.keys(value).filter((key) => !fields.has(key))
  if (refused.length === 0) return value
  for (const key of refused) if (!isEmpty(value[key])) lose(path === '' ? key : `${path}.${key}`)
  return Object.fromEntries(Object.entries(value).filter(([key]) => fields.has(key)))
}

/** True for null and an empty list, which clients copy from responses. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

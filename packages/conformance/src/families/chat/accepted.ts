import type { Json } from '@headgate/core/provider'
import { isObject } from '../../json.ts'

/** Paths of request fields that the vendor's list for their place does not contain. */
export function unacceptedFields(body: Json, places: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(places).flatMap(([place, fields]) =>
    nodesAt(body, place.match(/\[[^\]]*\]|[^.[\]]+/g) ?? []).flatMap((node) =>
      Object.keys(node)
        .filter((key) => !fields.includes(key))
        .map((key) => (place === '' ? key : `${place}.${key}`)),
    ),
  )
}

function nodesAt(value: unknown, [step, ...rest]: readonly string[]): Json[] {
  if (step === undefined) return isObject(value) ? [value] : []
  if (!step.startsWith('[')) return isObject(value) ? nodesAt(value[step], rest) : []
  const kind = step.slice(1, -1)
  const items: unknown[] = Array.isArray(value) ? value : []
  return items
    .filter((item) => kind === '*' || (isObject(item) && (item['role'] ?? item['type']) === kind))
    .flatMap((item) => nodesAt(item, rest))
}

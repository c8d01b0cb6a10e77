import type { Format } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss } from '../../canonical/loss.ts'
import type { ChatRequest, RequestField } from '../../canonical/request.ts'
import type { ChatSupport } from '../../contract/provider.ts'

/** What the caller calls that which stands under a top-level key of the body. */
export type Naming = (key: string) => readonly string[]

const asWritten: Naming = (key) => [key]

/** The body with an adapter's data deviations applied: names that differ, fields that are refused. */
export function deviate(support: ChatSupport, body: Json, losses: Loss[], naming: Naming = asWritten): Json {
  const { drop = [], rename = {} } = support
  if (!support.drop && !support.rename) return body
  const lose = (key: string, reason: string): void => {
    for (const path of naming(key)) dropped(losses, path, reason)
  }
  const kept = Object.entries(body).flatMap(([key, value]): [string, unknown][] => {
    const name = Object.hasOwn(rename, key) ? rename[key] : undefined
    if (drop.includes(key)) lose(key, 'the provider refuses it')
    else if (name !== undefined && Object.hasOwn(body, name)) lose(key, `the provider calls it ${name}, which was sent as well`)
    else return [[name ?? key, value]]
    return []
  })
  return Object.fromEntries(kept)
}

/**
 * Naming for a body that was written from a caller's request of another format. What the caller did not ask for has no name: it
 * is no loss. What no field of a request is known to be keeps its key.
 */
export function callersNaming(request: ChatRequest, format: Format, written: Json): Naming {
  let paths: ChatRequest['paths'] | undefined
  return (key) => {
    paths ??= pathsOf(format, written, request.model)
    const fields = (Object.keys(paths) as RequestField[]).filter((field) => topOf(paths?.[field]) === key)
    if (fields.length === 0) return [key]
    return fields.filter((field) => request[field] !== undefined).map((field) => request.paths[field] ?? key)
  }
}

/** Where the format has the fields of a request that it wrote itself. */
function pathsOf(format: Format, written: Json, model: string): ChatRequest['paths'] {
  try {
    return format.readRequest(written, { model }).paths
  } catch {
    return {}
  }
}

function topOf(path: string | undefined): string | undefined {
  return path?.match(/^[^.[]+/)?.[0]
}

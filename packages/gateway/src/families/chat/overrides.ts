import type { ChatRequest, Codec, Format, Json, RequestField } from '@headgate/core/canonical'
import { changed, dropped, type Loss } from '@headgate/core/canonical'
import type { Call } from '@headgate/core/contract'
import { type ChatSupport, forModel } from '@headgate/core/contract'
import { chatCompletions } from '@headgate/core/formats'
import { withAccepted } from './accepted.ts'

/** The caller's names for a path of the body, which is a top-level key or a field within it. */
export type CallerNames = (path: string) => readonly string[]

const asWritten: CallerNames = (path) => [path]

/** The two names of the output limit in chat completions. The first takes precedence. */
const OUTPUT_LIMITS = chatCompletions.outputLimit.names.outputs

/** The provider's name of a field; undefined = unchanged. A rename of one name of the output limit applies to both. */
function nameAt(rename: Readonly<Record<string, string>>, key: string): string | undefined {
  if (Object.hasOwn(rename, key)) return rename[key]
  const twin = OUTPUT_LIMITS.find((limit) => limit !== key && OUTPUT_LIMITS.includes(key))
  const name = twin && Object.hasOwn(rename, twin) ? rename[twin] : undefined
  return name === key ? undefined : name
}

/** True if the provider's overrides can change a body in the provider's format. */
export function hasOverrides({ drop, accepts, replace, rename, patchRequest }: ChatSupport): boolean {
  return Boolean(drop ?? accepts ?? replace ?? rename ?? patchRequest)
}

/** Applies an adapter's overrides: dropped fields, replaced values and renamed fields. */
export function applyOverrides(
  support: ChatSupport,
  model: string,
  given: Json,
  losses: Loss[],
  naming: CallerNames = asWritten,
): Json {
  const { rename = {} } = support
  const drop = forModel(support.drop, model) ?? []
  const body = replaced(support, given, losses, naming)
  if (drop.length === 0 && !support.rename) return body
  const lose = (key: string, reason: string): void => {
    for (const path of naming(key)) dropped(losses, path, reason)
  }
  const kept = Object.entries(body).flatMap(([key, value]): [string, unknown][] => {
    const name = nameAt(rename, key)
    const [winner = '', loser] = OUTPUT_LIMITS
    if (drop.includes(key)) lose(key, 'the provider rejects it')
    else if (
      key === loser &&
      name !== undefined &&
      Object.hasOwn(body, winner) &&
      nameAt(rename, winner) === name &&
      !drop.includes(winner)
    )
      lose(key, `the provider has one output limit, and ${winner} is set too`)
    else if (name !== undefined && Object.hasOwn(body, name))
      lose(key, `the provider calls it ${name}, which is set too`)
    else return [[name ?? key, value]]
    return []
  })
  return Object.fromEntries(kept)
}

function replaced({ replace = {} }: ChatSupport, body: Json, losses: Loss[], naming: CallerNames): Json {
  let out = body
  for (const key in replace) {
    const value = body[key]
    const instead =
      typeof value === 'string' && Object.hasOwn(replace[key] ?? {}, value) ? replace[key]?.[value] : undefined
    if (instead === undefined) continue
    for (const path of naming(key))
      changed(losses, path, `the provider does not accept the value; "${instead}" is sent instead`)
    out = { ...out, [key]: instead }
  }
  return out
}

/** Applies an adapter's patch, then removes fields that the upstream rejects. Losses have the caller's names. */
export function patched(
  { patchRequest, accepts }: ChatSupport,
  body: Json,
  call: Call,
  losses: Loss[],
  naming: CallerNames = asWritten,
): Json {
  const out = patchRequest?.(body, callNaming(call, losses, naming)) ?? body
  if (!accepts) return out
  return withAccepted(out, accepts, (path) => {
    for (const name of naming(path)) dropped(losses, name, 'the provider does not accept it')
  })
}

/** A call whose declared losses are added to `losses` under the caller's names. */
export function callNaming(call: Call, losses: Loss[], naming: CallerNames = asWritten): Call {
  const lose: Call['lose'] = (path, reason, kind = 'dropped') => {
    for (const name of naming(path)) losses.push({ path: name, kind, reason })
  }
  return { ...call, lose }
}

/**
 * Names for a body that was translated from another format. Fields that the caller did not send have no name, so they
 * are not losses. Keys that are not request fields keep their name.
 */
export function callersNaming(request: ChatRequest, format: Codec | Format, written: Json): CallerNames {
  let paths: ChatRequest['paths'] | undefined
  return (path) => {
    paths ??= pathsOf(format, written, request.model)
    const known = paths
    const fields = (Object.keys(known) as RequestField[]).filter(
      (field) => known[field] === path || topOf(known[field]) === path,
    )
    if (fields.length === 0) return [path]
    return fields.filter((field) => request[field] !== undefined).map((field) => request.paths[field] ?? path)
  }
}

/** Paths of the request fields in a body that the format wrote. */
function pathsOf(format: Codec | Format, written: Json, model: string): ChatRequest['paths'] {
  // Codecs for upstreams only cannot read requests.
  if (!('readRequest' in format)) return {}
  try {
    return format.readRequest(written, { model }).paths
  } catch {
    return {}
  }
}

function topOf(path: string | undefined): string | undefined {
  return path?.match(/^[^.[]+/)?.[0]
}

import { folded } from '../canonical/folded.ts'
import type { Edit, LimitNames, OutputLimit } from '../canonical/format.ts'
import { isObject, type Json } from '../canonical/json.ts'
import type { Target } from '../canonical/target.ts'
import { chatCompletions } from './chat-completions/index.ts'
import { formats } from './index.ts'

/** Limit in a body. */
export interface BodyLimit {
  /** Keys from the top: one or two. */
  readonly path: readonly string[]
  readonly value: unknown
}

/** Limits of a body. */
export interface RequestOutputLimits {
  /** Output limits under the format's names. */
  readonly outputs: readonly BodyLimit[]
  /** Output limits under other names and spellings, which some servers read. */
  readonly others: readonly BodyLimit[]
  /** Numbers of choices, in any spelling. */
  readonly counts: readonly BodyLimit[]
  /** First field with an unusual spelling that affects the cost in another way: `Tools`, `Service_Tier`. */
  readonly twin: string | undefined
}

type LimitKind = keyof LimitNames | 'twin'

/** Fields besides limits that affect the cost. */
const COSTLY: ReadonlySet<string> = new Set([
  ...['messages', 'input', 'contents', 'system', 'instructions', 'system_instruction', 'systemInstruction', 'tools'],
  ...[
    'service_tier',
    'serviceTier',
    'speed',
    'inference_geo',
    'web_search_options',
    'search_parameters',
    'enable_search',
    'mcp_servers',
  ],
])
const TWINS: ReadonlySet<string> = new Set([...COSTLY].map(folded))

/**
 * Roles of names, by folded name. Names of all formats are included, since a server may read names of another format.
 */
const KINDS = kindsOf([...formats.values()])
/** Cache of roles by name. Bodies have few different names, and folding is slower. */
const known = new Map<string, LimitKind | undefined>()
const KNOWN = 1_000
const LONGEST = 64

function kindsOf(all: readonly { readonly outputLimit: OutputLimit }[]): ReadonlyMap<string, LimitKind> {
  const kinds = new Map<string, LimitKind>()
  const add = (names: Partial<LimitNames> = {}): void => {
    for (const kind of ['outputs', 'counts', 'within'] as const)
      for (const name of names[kind] ?? []) kinds.set(folded(name), kind)
  }
  for (const { outputLimit } of all) {
    add(outputLimit.names)
    add(outputLimit.others)
  }
  return kinds
}

function kindOf(name: string): LimitKind | undefined {
  const kind = known.get(name)
  if (kind !== undefined || known.has(name)) return kind
  const plain = folded(name)
  const found = KINDS.get(plain) ?? (TWINS.has(plain) && !COSTLY.has(name) ? 'twin' : undefined)
  if (name.length <= LONGEST && known.size < KNOWN) known.set(name, found)
  return found
}

/** Largest minimum limit of all formats. */
export const LEAST_LIMIT = Math.max(...[...formats.values()].map(({ outputLimit }) => outputLimit.least ?? 1))

/** Limits of a format. Default: chat completions. */
export function limitOf(format: string): OutputLimit {
  return (formats.get(format) ?? chatCompletions).outputLimit
}

/** True if the format has this name in this spelling. */
function isExact({ names: { outputs, within } }: OutputLimit, key: string, at: string | undefined): boolean {
  return outputs.includes(key) && (at === undefined ? within === undefined : within?.includes(at) === true)
}

/** True for any spelling of the format's names. A server that ignores case treats null as no limit. */
function isSpelling({ names: { outputs } }: OutputLimit, key: string): boolean {
  const name = folded(key)
  return outputs.some((output) => folded(output) === name)
}

/** Finds the limits of a body in one pass over its keys and the objects that may contain limits. */
export function limitsIn(limit: OutputLimit, json: Json): RequestOutputLimits {
  const found = {
    outputs: [] as BodyLimit[],
    others: [] as BodyLimit[],
    counts: [] as BodyLimit[],
    twin: undefined as string | undefined,
  }
  const note = (kind: LimitKind | undefined, key: string, value: unknown, at?: string): void => {
    if (kind === undefined || kind === 'within' || kind === 'twin' || value === undefined) return
    const exact = kind === 'outputs' && isExact(limit, key, at)
    if (value === null && (kind === 'counts' || exact || !isSpelling(limit, key))) return
    const place = kind === 'counts' ? found.counts : exact ? found.outputs : found.others
    place.push({ path: at === undefined ? [key] : [at, key], value })
  }
  for (const key in json) {
    const kind = kindOf(key)
    if (kind === undefined) continue
    const value = json[key]
    note(kind, key, value)
    if (kind === 'twin' && value !== undefined && value !== null) found.twin ??= key
    if (kind === 'within' && isObject(value)) for (const inner in value) note(kindOf(inner), inner, value[inner], key)
  }
  return found
}

export function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

/**
 * Largest of several limits. Infinity if any is not a positive integer, since a lenient server may read it as any
 * number, or as no limit.
 */
export function largestOf(given: readonly BodyLimit[]): number {
  let largest = 0
  for (const { value } of given) {
    if (!isLimit(value)) return Number.POSITIVE_INFINITY
    largest = Math.max(largest, value)
  }
  return largest
}

/** Edits that limit the output of one choice, regardless of which limit the server reads. */
export function limitingEdits(limit: OutputLimit, json: Json, target: Target, tokens: number): Edit[] {
  return [...limit.edits(json, target, tokens), ...loweringEdits(limit, json, tokens)]
}

/** Edits that lower limits under other names and spellings than the format's. */
export function loweringEdits(limit: OutputLimit, json: Json, tokens: number): Edit[] {
  const { others } = limitsIn(limit, json)
  return others.filter(({ value }) => !isLimit(value) || value > tokens).map(({ path }) => ({ path, value: tokens }))
}

/**
 * Limit of an object under a name in any spelling. With several spellings, the largest. Undefined without a limit that
 * every server reads, or if any value is not a non-negative integer.
 */
export function limitNamed(json: Json, name: string): number | undefined {
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
  const exact = json[name]
  if (!isWhole(exact)) return undefined
  let largest = exact
  const wanted = folded(name)
  for (const key in json) {
    if (key === name || folded(key) !== wanted) continue
    const value = json[key]
    if (!isWhole(value)) return undefined
    largest = Math.max(largest, value)
  }
  return largest
}

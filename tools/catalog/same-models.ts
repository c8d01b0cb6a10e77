import { CONFIRMED, type ConfirmedModel, MIXED_PRECISION, NOT_SAME, OTHER_IDS } from './same-models-confirmed.ts'

/** A model that a package serves. */
export interface ServedModel {
  /** Id of the package. */
  readonly provider: string
  readonly id: string
  readonly context?: number | undefined
  readonly inputs?: readonly string[] | undefined
}

/** Id of a model without the parts that providers add to it. */
export interface FoldedId {
  readonly name: string
  /** Date of a snapshot: `20250929`, `2024-08-06`, `2512`. */
  readonly date?: string | undefined
  /** `latest` and `preview` move from one snapshot to the next. */
  readonly stage?: string | undefined
}

const VENDORS =
  'ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|writer|xai|zai'
/** Prefix of a Bedrock id: the geography of an inference profile, and the vendor. */
const BEDROCK = new RegExp(`^(?:(?:us|us-gov|eu|jp|au|apac|ca|global)\\.)?(?:${VENDORS})\\.(?=[a-z])`)
const DATE = /-(20\d{6}|20\d\d-\d\d-\d\d|2\d(?:0[1-9]|1[0-2]))$/
const BY_KEY: ReadonlyMap<string, ConfirmedModel> = new Map(CONFIRMED.map((entry) => [entry.key, entry]))

function withoutBedrock(id: string): string {
  const prefix = BEDROCK.exec(id)?.[0]
  if (prefix === undefined) return id
  // `-v1:0`, `-1:0`, and `-v1` of Claude Opus 4.6.
  const name = id.slice(prefix.length).replace(/-v?\d+:\d+$|-v1$/, '')
  // `deepseek.v3.2`, `deepseek.r1-v1:0`
  return prefix.endsWith('deepseek.') && /^[rv]\d/.test(name) ? `deepseek-${name}` : name
}

/**
 * Parts of an id. It never removes the suffix of a variant: `-turbo`, `-fast`, `-fp8`, `-thinking`, `:free`, `-mini`.
 *
 * In this order: lower case; the path before the last `/`; `databricks-`; Bedrock's prefixes and versions; the version
 * of Vertex AI after `@`; `-maas`; `3p3` is `3.3`; stage and date; `.` is `-`; spellings of Llama.
 */
export function folded(id: string): FoldedId {
  const path = id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^databricks-/, '')
  const [bare = '', version] = withoutBedrock(path).split('@')
  const base = bare.replace(/-maas$/, '').replace(/(?<=\d)p(?=\d)/g, '.')
  const stage = /-(latest|preview|default)$/.exec(base)?.[1]
  const unstaged = stage ? base.slice(0, -stage.length - 1) : base
  const date = DATE.exec(unstaged)?.[1]
  const name = (date ? unstaged.slice(0, -date.length - 1) : unstaged)
    .replaceAll('.', '-')
    .replace(/^meta-(?=llama)/, '')
    .replace(/^llama(?=\d)/, 'llama-')
  return {
    name,
    date: date ?? (version !== undefined && /^\d/.test(version) ? version : undefined),
    stage: stage === 'default' ? undefined : stage,
  }
}

/** True if a string matches a pattern, in which a last `*` matches any characters. */
function matches(pattern: string, text: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text
}

/** Confirmed model of an id at a provider, regardless of its facts. */
export function confirmed(provider: string, id: string): ConfirmedModel | undefined {
  const place = `${provider}/${id}`
  const other = Object.hasOwn(OTHER_IDS, place) ? OTHER_IDS[place] : undefined
  if (other !== undefined) return BY_KEY.get(other)
  if (Object.keys(NOT_SAME).some((pattern) => matches(pattern, place))) return undefined
  const { name, date, stage } = folded(id)
  const dated = date === undefined ? undefined : BY_KEY.get(`${name}-${date}`)
  const entry = dated ?? BY_KEY.get(name)
  if (!entry || stage === 'latest' || (stage === 'preview' && !entry.preview)) return undefined
  if (!dated && date !== undefined && date !== entry.snapshot) return undefined
  return entry.weights === 16 && Object.hasOwn(MIXED_PRECISION, provider) ? undefined : entry
}

/** Upper median. */
function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** Models of a group, without models that are shortened or lack the image input of the others. */
function complete({ vendor }: ConfirmedModel, group: readonly ServedModel[]): readonly ServedModel[] {
  const direct = group.filter(({ provider }) => provider === vendor)
  const measure = direct.length > 0 ? direct : group
  const context = median(measure.flatMap((one) => one.context ?? []))
  const withImages = measure.filter(({ inputs }) => inputs?.includes('image')).length
  return group.filter(
    (one) =>
      (one.context === undefined || one.context * 2 >= context) &&
      (withImages * 2 <= measure.length || one.inputs === undefined || one.inputs.includes('image')),
  )
}

/** Names that all providers of a model share, by `<provider>/<id>`. */
export function sharedNames(served: readonly ServedModel[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(served, ({ provider, id }) => confirmed(provider, id))
  const names = new Map<string, string>()
  for (const [entry, group] of groups)
    if (entry) for (const { provider, id } of complete(entry, group)) names.set(`${provider}/${id}`, entry.key)
  return names
}

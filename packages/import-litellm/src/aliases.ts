import type { ErrorKind } from '@headgate/core/errors'
import { FALLBACK_KINDS, type RoutingPolicy } from '@headgate/gateway/ports'
import type { ImportedAlias, ImportedTarget } from './config.ts'
import type { Deployment } from './deployment.ts'
import { isSection, type LiteLLMFile, type Section } from './file.ts'
import type { TranslatedProviders } from './providers.ts'
import type { Shares } from './shares.ts'
import type { UpstreamContext } from './upstream.ts'

const SECTIONS = ['router_settings', 'litellm_settings'] as const
const PARTIAL_TIMES =
  'only some deployments of the model have a time limit: set `firstByte` of the alias, in milliseconds'
const TIMES = 'becomes the time until a response begins, for all deployments of the model (`firstByte` of the alias)'

/** Failures after which a fallback is called, as with a target without `on`. */
const FAILURES: readonly ErrorKind[] = FALLBACK_KINDS.filter((kind) => kind !== 'content-policy')

/** Failures by LiteLLM's settings of fallbacks. @see https://docs.litellm.ai/docs/proxy/reliability */
const FALLBACKS: readonly (readonly [string, readonly ErrorKind[]])[] = [
  ['fallbacks', FAILURES],
  ['context_window_fallbacks', ['context-too-long']],
  ['content_policy_fallbacks', ['content-policy']],
]

/** Parts of the configuration that aliases depend on. */
export interface AliasParts extends Pick<TranslatedProviders, 'targetOf' | 'isPooled'> {
  readonly shares: Shares
  /** Policy for models with several deployments. */
  readonly policy: RoutingPolicy
  /** Policy of aliases that set none. */
  readonly usual: RoutingPolicy
}

/** Target of a model, with the failures after which it is called; undefined = always. */
interface AliasCandidate {
  readonly weight?: number | undefined
  readonly on: Set<ErrorKind> | undefined
}

/** Aliases for LiteLLM's model groups: the deployments of a group in order, followed by its fallbacks. */
export function aliasesOf(
  file: LiteLLMFile,
  deployments: readonly Deployment[],
  parts: AliasParts,
  { remark }: Pick<UpstreamContext, 'remark'>,
): Record<string, string[] | ImportedAlias> {
  for (const { alias, model } of deployments)
    if (alias.includes('*') && !model.includes('*'))
      remark('left', ['model_list', alias], 'an alias cannot contain `*`: list the names that callers use')
  const named = deployments.filter(({ alias, model }) => !alias.includes('*') && !model.includes('*'))
  const groups = Map.groupBy(
    named.toSorted((a, b) => (a.order === b.order ? 0 : a.order - b.order)),
    ({ alias }) => alias,
  )
  const byId = new Map(named.flatMap((one) => (one.id === undefined ? [] : [[one.id, one] as const])))
  const reached = (name: string): readonly Deployment[] => groups.get(name) ?? [byId.get(name) ?? []].flat()

  for (const section of SECTIONS)
    remarkFallbacks(file[section] ?? {}, section, (name) => reached(name).length > 0, remark)
  const aliases = [...groups].map(([name, group]): [string, string[] | ImportedAlias] => [
    name,
    aliasOf(group, afterwards(file, name, reached), parts, remark),
  ])
  const others = Object.entries(groupAliases(file)).flatMap(([name, model]): [string, string[] | ImportedAlias][] => {
    const target = aliases.find(([alias]) => alias === model)?.[1]
    if (!target) remark('left', ['router_settings', 'model_group_alias', name], 'names a model that is not served')
    return target && !groups.has(name) ? [[name, target]] : []
  })
  return Object.fromEntries([...aliases, ...others].filter(([name, alias]) => !isOwnName(name, alias)))
}

/** True for an alias with the name of its only model. */
function isOwnName(name: string, alias: string[] | ImportedAlias): boolean {
  return Array.isArray(alias) && alias.length === 1 && alias[0] === name
}

/** Fallbacks of a name with their failures. */
function afterwards(
  file: LiteLLMFile,
  name: string,
  reached: (name: string) => readonly Deployment[],
): readonly (readonly [Deployment, readonly ErrorKind[]])[] {
  return FALLBACKS.flatMap(([field, kinds]) =>
    SECTIONS.flatMap((section) => {
      const settings = file[section] ?? {}
      const usual = field === 'fallbacks' ? texts(settings['default_fallbacks']) : []
      const names = [...fallbacks(settings, field, name), ...usual]
      return names.flatMap(reached).map((one) => [one, kinds] as const)
    }),
  )
}

function aliasOf(
  group: readonly Deployment[],
  after: readonly (readonly [Deployment, readonly ErrorKind[]])[],
  { targetOf, isPooled, shares, policy, usual }: AliasParts,
  remark: UpstreamContext['remark'],
): string[] | ImportedAlias {
  const ranks = group.map((one) => shares.ranks.get(one) ?? 0)
  // Deployments with different orders are called one after the other under any policy.
  const isShared = new Set(ranks).size < group.length
  const own = isShared ? policy : 'priority'
  const isLone = new Set(group.map(targetOf)).size === 1
  const candidates = new Map<string, AliasCandidate>()
  for (const [index, one] of group.entries()) {
    const known = candidates.get(targetOf(one))
    const weight = isLone || isPooled(one) ? undefined : (known?.weight ?? 0) + (shares.weights.get(one) ?? 1)
    const isLater = own !== 'priority' && (ranks[index] ?? 0) > 0 && !known
    candidates.set(targetOf(one), { weight, on: isLater ? new Set(FAILURES) : known?.on })
  }
  for (const [one, kinds] of after) {
    const known = candidates.get(targetOf(one))
    if (!known) candidates.set(targetOf(one), { on: new Set(kinds) })
    else if (known.on) for (const kind of kinds) known.on.add(kind)
  }
  const targets = [...candidates].map(([model, one]) => targetText(model, one, own))
  const firstByte = firstByteOf(group, remark)
  const isSingle = candidates.size === 1 && !isShared
  const sets = own === usual || isSingle ? undefined : own
  const isPlain = targets.every((target) => typeof target === 'string')
  if (isPlain && sets === undefined && firstByte === undefined) return targets.filter((one) => typeof one === 'string')
  return { targets, ...(sets && { policy: sets }), ...(firstByte !== undefined && { firstByte }) }
}

/** Target in the shortest form. With `priority`, a later target is called after failures anyway. */
function targetText(model: string, { weight = 1, on }: AliasCandidate, policy: RoutingPolicy): string | ImportedTarget {
  const kinds = on && [...on]
  const isUsual = !kinds || (policy === 'priority' && kinds.length === FAILURES.length && kinds.every(isFailure))
  const isWeighted = policy !== 'priority' && weight !== 1 && isUsual
  if (isUsual && !isWeighted) return model
  return { model, ...(kinds && !isUsual && { on: kinds }), ...(isWeighted && { weight }) }
}

function isFailure(kind: ErrorKind): boolean {
  return FAILURES.includes(kind)
}

/** Longest time limit of the deployments, if each has one. */
function firstByteOf(group: readonly Deployment[], remark: UpstreamContext['remark']): number | undefined {
  const times = group.flatMap(({ firstByte }) => firstByte ?? [])
  const isWhole = times.length === group.length
  for (const { path } of times) remark(isWhole ? 'otherwise' : 'left', path, isWhole ? TIMES : PARTIAL_TIMES)
  return isWhole ? Math.max(...times.map(({ value }) => value)) : undefined
}

/** Fallbacks of a name in `[{ name: [others] }]`; those for `*` apply to every name. */
function fallbacks(settings: Section, field: string, name: string): string[] {
  const lists = Array.isArray(settings[field]) ? settings[field] : []
  return lists.filter(isSection).flatMap((one) => [...texts(one[name]), ...(name === '*' ? [] : texts(one['*']))])
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function groupAliases({ router_settings: settings }: LiteLLMFile): Record<string, string> {
  const given = settings?.['model_group_alias']
  if (!isSection(given)) return {}
  const models = Object.entries(given).map(([name, value]) => [
    name,
    isSection(value) ? String(value['model']) : String(value),
  ])
  return Object.fromEntries(models)
}

function remarkFallbacks(
  settings: Section,
  section: string,
  isServed: (name: string) => boolean,
  remark: UpstreamContext['remark'],
): void {
  for (const [field] of FALLBACKS) {
    const lists = Array.isArray(settings[field]) ? settings[field].filter(isSection) : []
    for (const [name, targets] of lists.flatMap((one) => Object.entries(one))) {
      const all = Array.isArray(targets) ? targets : []
      if (all.some((one) => typeof one !== 'string'))
        remark('left', [section, field, name], 'a fallback gets the same request and cannot change it')
      for (const one of texts(all))
        if (!isServed(one)) remark('left', [section, field, name], `${JSON.stringify(one)} is not served`)
    }
  }
}

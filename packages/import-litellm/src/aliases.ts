import type { Deployment } from './deployment.ts'
import { isSection, type LiteLLMFile, type Section } from './file.ts'
import type { UpstreamContext } from './upstream.ts'

const SECTIONS = ['router_settings', 'litellm_settings'] as const
const WIDER = 'are called after any failure that another model may fix, not only if the context is too long'

/** Aliases for LiteLLM's model groups: the deployments of a group in order, followed by its fallbacks. */
export function aliasesOf(
  file: LiteLLMFile,
  deployments: readonly Deployment[],
  targetOf: (one: Deployment) => string,
  { remark }: Pick<UpstreamContext, 'remark'>,
): Record<string, string[]> {
  for (const { alias, model } of deployments)
    if (alias.includes('*') && !model.includes('*'))
      remark('left', ['model_list', alias], 'an alias cannot contain `*`: list the names that callers use')
  const named = deployments.filter(({ alias, model }) => !alias.includes('*') && !model.includes('*'))
  const groups = new Map<string, string[]>()
  for (const one of named.toSorted((a, b) => (a.order === b.order ? 0 : a.order - b.order)))
    groups.set(one.alias, [...(groups.get(one.alias) ?? []), targetOf(one)])
  const byId = new Map(named.flatMap((one) => (one.id === undefined ? [] : [[one.id, targetOf(one)]])))
  const reached = (name: string): string[] => groups.get(name) ?? [byId.get(name) ?? []].flat()

  const after = (name: string): string[] =>
    SECTIONS.flatMap((section) => {
      const settings = file[section] ?? {}
      const own = [...fallbacks(settings, 'fallbacks', name), ...fallbacks(settings, 'context_window_fallbacks', name)]
      return [...own, ...texts(settings['default_fallbacks'])]
    }).flatMap(reached)

  for (const section of SECTIONS)
    remarkFallbacks(file[section] ?? {}, section, (name) => reached(name).length > 0, remark)
  const aliases = [...groups].map(([name, targets]): [string, string[]] => [
    name,
    [...new Set([...targets, ...after(name)])],
  ])
  const others = Object.entries(groupAliases(file)).flatMap(([name, model]): [string, string[]][] => {
    const targets = aliases.find(([alias]) => alias === model)?.[1]
    if (!targets) remark('left', ['router_settings', 'model_group_alias', name], 'names a model that is not served')
    return targets && !groups.has(name) ? [[name, targets]] : []
  })
  return Object.fromEntries(
    [...aliases, ...others].filter(([name, [first, ...more]]) => first !== name || more.length > 0),
  )
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
  for (const field of ['fallbacks', 'context_window_fallbacks']) {
    const lists = Array.isArray(settings[field]) ? settings[field].filter(isSection) : []
    if (lists.length > 0 && field !== 'fallbacks') remark('otherwise', [section, field], WIDER)
    for (const [name, targets] of lists.flatMap((one) => Object.entries(one))) {
      const all = Array.isArray(targets) ? targets : []
      if (all.some((one) => typeof one !== 'string'))
        remark('left', [section, field, name], 'a fallback gets the same request and cannot change it')
      for (const one of texts(all))
        if (!isServed(one)) remark('left', [section, field, name], `${JSON.stringify(one)} is not served`)
    }
  }
}

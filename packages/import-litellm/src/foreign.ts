import { pathText } from '@headgate/discovery/config'
import type { ImportedConfig } from './config.ts'
import type { EntryOrigin } from './deployment.ts'
import { isSection, type LiteLLMFile, type Section } from './file.ts'
import type { Remark } from './report.ts'
import { reservedNames, routedConfig, type Translation, type TranslationOptions } from './translation.ts'
import type { UpstreamContext } from './upstream.ts'
import { createVariables } from './variables.ts'

/** Deployment of another gateway, in LiteLLM's terms, so that its vendors and parameters apply. */
export interface ForeignEntry {
  /** Name that callers use; `<word>/*` = any model. */
  readonly name: string
  /** Parameters of LiteLLM. References to variables are `os.environ/NAME`. */
  readonly params: Section & { readonly model: string }
  readonly origin: EntryOrigin
  /** Names of parameters in the file, by LiteLLM's names. */
  readonly names: Readonly<Record<string, string>>
}

export interface ForeignFile {
  readonly entries: readonly ForeignEntry[]
  /** Router settings of LiteLLM. */
  readonly router?: Section
  /** Remarks on other settings. */
  remarkOthers(remark: UpstreamContext['remark']): void
}

/** Remarks on settings by name; undefined = has no equivalent, null = nothing to remark. */
export type SettingTexts = Readonly<Record<string, readonly [Remark['kind'], string] | null>>

const OTHER: readonly [Remark['kind'], string] = ['left', 'has no equivalent']

/** Translates a configuration of another gateway whose deployments are known in LiteLLM's terms. */
export function translateForeign(
  { entries, router, remarkOthers }: ForeignFile,
  { adapters, environment }: Omit<TranslationOptions, 'path'>,
): Pick<Translation, 'needed' | 'remarks'> & {
  readonly config: Pick<ImportedConfig, 'providers' | 'models' | 'routing' | 'prices'>
} {
  const file: LiteLLMFile = {
    model_list: entries.map(({ name, params }) => ({
      model_name: name,
      litellm_params: params,
      model_info: undefined,
    })),
    ...(router && { router_settings: router }),
  }
  const remarks: Remark[] = []
  const namesAt = new Map(entries.map(({ origin, names }) => [pathText(origin.path), names]))
  const own = (path: string): string =>
    path.replace(/^(.*?)(\.?)litellm_params(?:\.(\w+))?/, (_, place: string, dot: string, name: string | undefined) => {
      const names = namesAt.get(place) ?? {}
      if (name === undefined) return place
      return `${place}${dot}${Object.hasOwn(names, name) ? names[name] : name}`
    })
  const context: UpstreamContext = {
    adapters,
    variables: createVariables(environment, reservedNames(file)),
    shared: {},
    remark: (kind, path, text) => void remarks.push({ kind, path: own(pathText(path)), text }),
  }
  const origins = entries.map(({ origin }) => origin)
  const { deployments: _, ...config } = routedConfig(file, context, origins)
  remarkOthers(context.remark)
  const needed = context.variables.needed().map((one) => {
    const { at } = one
    return at === undefined ? one : { ...one, at: own(at) }
  })
  return { config, needed, remarks }
}

/** Adds remarks on the settings of a section. Settings that are off are skipped. */
export function remarkSection(
  section: unknown,
  path: readonly PropertyKey[],
  texts: SettingTexts,
  remark: UpstreamContext['remark'],
): void {
  for (const [name, value] of Object.entries(isSection(section) ? section : {})) {
    if (value === undefined || value === null || value === false) continue
    const about = Object.hasOwn(texts, name) ? texts[name] : OTHER
    if (about) remark(about[0], [...path, name], about[1])
  }
}

/** Parameters without undefined values. */
export function given(params: Readonly<Record<string, unknown>>): Section {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null))
}

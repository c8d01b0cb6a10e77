import { isRecord, listOf, textOf } from '../wire/call.ts'
import { type ChatDraft, NO_DRAFT } from './draft.ts'

/** Settings of a preset: all of a draft except the message. */
export type PresetSettings = Omit<ChatDraft, 'prompt' | 'files'>

export interface Preset {
  readonly name: string
  readonly settings: PresetSettings
}

/** Maximum number of presets. */
const MOST = 50

/** Presets of a user, which this browser stores. */
function nameOf(user: string): string {
  return `headgate.presets.${user}`
}

/** Stored presets by name. Unknown and invalid fields are ignored. */
export function readPresets(user: string): readonly Preset[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(nameOf(user)) ?? '[]')
    return listOf(stored).flatMap((one) => {
      if (!isRecord(one) || textOf(one['name']) === '' || !isRecord(one['settings'])) return []
      return [{ name: textOf(one['name']), settings: settingsOf(one['settings']) }]
    })
  } catch {
    return []
  }
}

/** Adds a preset, or replaces the preset with its name. @returns false if the browser cannot store it */
export function savePreset(user: string, { name, settings }: Preset): boolean {
  const others = readPresets(user).filter((one) => one.name !== name)
  const all = [...others.slice(-(MOST - 1)), { name, settings: settingsOf(settings) }]
  return write(
    user,
    all.toSorted((one, other) => one.name.localeCompare(other.name)),
  )
}

export function removePreset(user: string, name: string): boolean {
  return write(
    user,
    readPresets(user).filter((one) => one.name !== name),
  )
}

function write(user: string, presets: readonly Preset[]): boolean {
  try {
    localStorage.setItem(nameOf(user), JSON.stringify(presets))
    return true
  } catch {
    return false
  }
}

/** Fields of the type that a draft has. A message is never part of it. */
function settingsOf(given: Readonly<Record<string, unknown>> | PresetSettings): PresetSettings {
  const { prompt: _, files: __, ...defaults } = NO_DRAFT
  const values: Readonly<Record<string, unknown>> = { ...given }
  const fields = Object.entries(defaults).map(([field, value]) => [
    field,
    typeof values[field] === typeof value ? values[field] : value,
  ])
  return Object.fromEntries(fields)
}

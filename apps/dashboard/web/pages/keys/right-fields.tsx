import {
  KEY_RIGHT_NAMES,
  KEY_RIGHTS,
  KEY_SETTING_NAMES,
  KEY_SETTINGS,
  type KeyRightName,
} from '@headgate/gateway/ports/key-rights'
import { useMay } from '../../api/me.ts'
import { TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import type { DraftErrors, TermsDraft } from './draft.ts'

/** Description without Markdown, with the meaning of an empty field. */
function hintOf(name: KeyRightName): string {
  const { description } = KEY_RIGHTS[name]
  return `${description.replaceAll('`', '')} Empty: ${name === 'scopes' ? 'none' : 'all'}.`
}

export interface RightFieldsProps {
  readonly draft: TermsDraft
  onChange(change: Partial<TermsDraft>): void
  readonly errors: DraftErrors
  /** Error of the request. */
  readonly problem: unknown
}

/** Fields for the permissions of a key. */
export function RightFields({ draft, onChange, errors, problem }: RightFieldsProps) {
  const { scopes } = useMayGive()
  return KEY_RIGHT_NAMES.filter((name) => scopes || name !== 'scopes').map((name) => (
    <TextField
      key={name}
      label={KEY_RIGHTS[name].title}
      hint={hintOf(name)}
      autoComplete="off"
      value={draft[name]}
      onText={(value) => onChange({ [name]: value })}
      error={errors[name] ?? fieldError(problem, name)}
    />
  ))
}

/** Fields for settings of a key, for users who may set rate limits. */
export function SettingFields({ draft, onChange, errors, problem }: RightFieldsProps) {
  return KEY_SETTING_NAMES.map((name) => (
    <TextField
      key={name}
      label={KEY_SETTINGS[name].title}
      hint={`${KEY_SETTINGS[name].description.replaceAll('`', '')} Empty: ${KEY_SETTINGS[name].absent}.`}
      autoComplete="off"
      value={draft[name]}
      onText={(value) => onChange({ [name]: value })}
      error={errors[name] ?? fieldError(problem, name)}
    />
  ))
}

/** Settings of keys that the user may change. Forms hide the others. */
export interface MayGive {
  /** Rate limits and budgets. */
  readonly bounds: boolean
  readonly scopes: boolean
}

export function useMayGive(): MayGive {
  return { bounds: useMay('budgets.write') === 'all', scopes: useMay('keys.write') === 'all' }
}

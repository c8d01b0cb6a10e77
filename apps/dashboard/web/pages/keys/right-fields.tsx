import { KEY_RIGHT_NAMES, KEY_RIGHTS, type KeyRightName } from '@headgate/gateway/ports/key-rights'
import { useMay } from '../../api/me.ts'
import { TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import type { DraftErrors, TermsDraft } from './draft.ts'

/** A description without Markdown, and what an empty field means. */
function hintOf(name: KeyRightName): string {
  const { description } = KEY_RIGHTS[name]
  return `${description.replaceAll('`', '')} Empty: ${name === 'scopes' ? 'none' : 'all'}.`
}

export interface RightFieldsProps {
  readonly draft: TermsDraft
  onChange(change: Partial<TermsDraft>): void
  readonly errors: DraftErrors
  /** What the API said of it. */
  readonly problem: unknown
}

/** What a key may do, and from where. */
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

/** What somebody may give keys beyond what those who make them may: nobody is asked for what would be refused. */
export interface MayGive {
  /** Limits and budgets. */
  readonly bounds: boolean
  readonly scopes: boolean
}

export function useMayGive(): MayGive {
  return { bounds: useMay('budgets.write') === 'all', scopes: useMay('keys.write') === 'all' }
}

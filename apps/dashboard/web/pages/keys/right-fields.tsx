import { useMay } from '../../api/me.ts'
import { TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import type { DraftErrors, TermsDraft } from './draft.ts'
import { RIGHT_NAMES, RIGHTS } from './rights.ts'

const HINTS: Readonly<Record<(typeof RIGHT_NAMES)[number], string>> = {
  models: 'By the names that callers send; * stands for any text. Empty: all.',
  search: 'Engines (by cx) and backends. Empty: all.',
  families: 'chat, embeddings, rerank, search, video. Empty: all.',
  providers: 'By name; * stands for any text. Empty: all.',
  addresses: 'Where it may be used from: 192.0.2.7, 10.0.0.0/8. Empty: everywhere.',
  scopes: 'metrics reads /metrics, admin manages people, keys and budgets. Empty: neither.',
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
  return RIGHT_NAMES.filter((name) => scopes || name !== 'scopes').map((name) => (
    <TextField
      key={name}
      label={RIGHTS[name].title}
      hint={HINTS[name]}
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

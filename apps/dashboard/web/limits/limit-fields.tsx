import { TextField } from '../components/field.tsx'
import { fieldError } from '../components/form.tsx'
import { LABELS } from '../labels.ts'
import type { LimitDraft, LimitErrors } from './limit-draft.ts'
import { LIMIT_NAMES } from './limit-draft.ts'

export interface LimitFieldsProps {
  readonly draft: LimitDraft
  onChange(change: Partial<LimitDraft>): void
  readonly errors: LimitErrors
  /** Error of the request. */
  readonly problem: unknown
}

/** Fields for rate limits. */
export function LimitFields({ draft, onChange, errors, problem }: LimitFieldsProps) {
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
      {LIMIT_NAMES.map((name) => (
        <TextField
          key={name}
          label={LABELS[name]}
          inputMode="numeric"
          autoComplete="off"
          placeholder={LABELS.unlimited}
          value={draft[name]}
          onText={(value) => onChange({ [name]: value })}
          error={errors[name] ?? fieldError(problem, name) ?? fieldError(problem, `limits.${name}`)}
        />
      ))}
    </div>
  )
}

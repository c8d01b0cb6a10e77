import { TextField } from '../components/field.tsx'
import { fieldError } from '../components/form.tsx'
import type { LimitDraft, LimitErrors } from './limit-draft.ts'
import { LIMIT_NAMES, type LimitName } from './limit-draft.ts'

const TITLES: Readonly<Record<LimitName, string>> = {
  requestsPerMinute: 'Requests a minute',
  tokensPerMinute: 'Tokens a minute',
  concurrent: 'At the same time',
}

export interface LimitFieldsProps {
  readonly draft: LimitDraft
  onChange(change: Partial<LimitDraft>): void
  readonly errors: LimitErrors
  /** What the API said of it. */
  readonly problem: unknown
}

/** How much may be asked. */
export function LimitFields({ draft, onChange, errors, problem }: LimitFieldsProps) {
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
      {LIMIT_NAMES.map((name) => (
        <TextField
          key={name}
          label={TITLES[name]}
          inputMode="numeric"
          autoComplete="off"
          placeholder="no limit"
          value={draft[name]}
          onText={(value) => onChange({ [name]: value })}
          error={errors[name] ?? fieldError(problem, name) ?? fieldError(problem, `limits.${name}`)}
        />
      ))}
    </div>
  )
}

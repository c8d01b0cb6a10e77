import { SelectField, TextField } from '../../components/field.tsx'
import { Fold } from '../../components/fold.tsx'
import { fieldError } from '../../components/form.tsx'
import { LIMIT_NAMES } from '../../limits/limit-draft.ts'
import { LimitFields } from '../../limits/limit-fields.tsx'
import type { DraftErrors, KeyDraft, Period } from './draft.ts'
import { useMayGive } from './may-give.ts'
import { RightFields } from './right-fields.tsx'
import { RIGHT_NAMES } from './rights.ts'

const PERIODS = [
  { value: 'day', title: 'a day' },
  { value: 'week', title: 'a week' },
  { value: 'month', title: 'a month' },
  { value: 'forever', title: 'in all' },
]

export interface MoreOfKeyProps {
  readonly draft: KeyDraft
  onChange(change: Partial<KeyDraft>): void
  readonly errors: DraftErrors
  /** What the API said of it. */
  readonly problem: unknown
}

/** All that bounds a key, folded: without it a key may do everything that keys may. */
export function MoreOfKey({ draft, onChange, errors, problem }: MoreOfKeyProps) {
  const { bounds } = useMayGive()
  const errorOf = (...names: readonly (keyof KeyDraft)[]): string | undefined =>
    names.map((name) => errors[name] ?? fieldError(problem, name)).find((one) => one !== undefined)
  const budgetError = errors.budget ?? fieldError(problem, 'budgets[0].limit')
  const areLimitsWrong =
    errorOf(...LIMIT_NAMES) ?? LIMIT_NAMES.map((name) => fieldError(problem, `limits.${name}`)).find(Boolean)
  return (
    <>
      <Fold
        title={bounds ? 'What it may spend, and until when' : 'Until when it works'}
        isWrong={Boolean(budgetError ?? errorOf('endsIn'))}
      >
        {bounds && (
          <div className="grid grid-cols-2 gap-3">
            <TextField
              label="Budget in dollars"
              inputMode="decimal"
              autoComplete="off"
              placeholder="none"
              value={draft.budget}
              onChange={({ target }) => onChange({ budget: target.value })}
              error={budgetError}
            />
            <SelectField
              label="For"
              value={draft.period}
              onChange={({ target }) => onChange({ period: target.value as Period })}
              choices={PERIODS}
            />
          </div>
        )}
        <TextField
          label="Ends in days"
          inputMode="numeric"
          autoComplete="off"
          placeholder="never"
          value={draft.endsIn}
          onChange={({ target }) => onChange({ endsIn: target.value })}
          error={errors.endsIn ?? fieldError(problem, 'expiresAt')}
        />
      </Fold>
      {bounds && (
        <Fold title="How much it may ask" isWrong={areLimitsWrong !== undefined}>
          <LimitFields {...{ draft, onChange, errors, problem }} />
        </Fold>
      )}
      <Fold title="What it may do, and from where" isWrong={errorOf(...RIGHT_NAMES) !== undefined}>
        <RightFields {...{ draft, onChange, errors, problem }} />
      </Fold>
    </>
  )
}

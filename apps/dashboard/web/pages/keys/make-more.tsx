import type { ReactNode } from 'react'
import { SelectField, TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import type { DraftErrors, KeyDraft, Period } from './draft.ts'
import { RIGHT_NAMES, RIGHTS } from './rights.ts'

const HINTS: Readonly<Record<(typeof RIGHT_NAMES)[number], string>> = {
  models: 'By the names that callers send; * stands for any text. Empty: all.',
  search: 'Engines (by cx) and backends. Empty: all.',
  families: 'chat, embeddings, search, video. Empty: all.',
  providers: 'By name; * stands for any text. Empty: all.',
  addresses: 'Where it may be used from: 192.0.2.7, 10.0.0.0/8. Empty: everywhere.',
  scopes: 'metrics reads /metrics, admin manages people, keys and budgets. Empty: neither.',
}
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
  const field = (name: keyof KeyDraft) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
    error: errors[name] ?? fieldError(problem, name),
    autoComplete: 'off',
  })
  return (
    <>
      <Fold title="What it may spend, and until when" isWrong={Boolean(errors.budget ?? errors.endsIn)}>
        <div className="grid grid-cols-2 gap-3">
          <TextField label="Budget in dollars" inputMode="decimal" placeholder="none" {...field('budget')} />
          <SelectField
            label="For"
            value={draft.period}
            onChange={({ target }) => onChange({ period: target.value as Period })}
            choices={PERIODS}
          />
        </div>
        <TextField label="Ends in days" inputMode="numeric" placeholder="never" {...field('endsIn')} />
      </Fold>
      <Fold title="How much it may ask" isWrong={Boolean(errors.requestsPerMinute ?? errors.tokensPerMinute ?? errors.concurrent)}>
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
          <TextField label="Requests a minute" inputMode="numeric" placeholder="no limit" {...field('requestsPerMinute')} />
          <TextField label="Tokens a minute" inputMode="numeric" placeholder="no limit" {...field('tokensPerMinute')} />
          <TextField label="At the same time" inputMode="numeric" placeholder="no limit" {...field('concurrent')} />
        </div>
      </Fold>
      <Fold title="What it may do, and from where">
        {RIGHT_NAMES.map((name) => (
          <TextField key={name} label={RIGHTS[name].title} hint={HINTS[name]} {...field(name)} />
        ))}
      </Fold>
    </>
  )
}

/** What is folded is open where something is wrong in it. */
function Fold({ title, isWrong = false, children }: { readonly title: string; readonly isWrong?: boolean; readonly children: ReactNode }) {
  return (
    <details className="rounded-field border border-line" {...(isWrong && { open: true })}>
      <summary className="min-h-8 cursor-pointer px-3 py-1.5 font-medium pointer-coarse:py-2.5">{title}</summary>
      <div className="flex flex-col gap-3 px-3 pt-1 pb-3">{children}</div>
    </details>
  )
}

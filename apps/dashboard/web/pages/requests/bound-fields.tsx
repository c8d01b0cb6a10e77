import { useId, useState } from 'react'
import { CONTROL } from '../../components/classes.ts'
import { BOUND_NAMES, type BoundName, FILTER_TITLES } from './filter-fields.ts'
import { typedCount, typedDollars, typedDuration } from './filters.ts'
import type { RequestFilters } from './search.ts'

interface BoundKind {
  readonly example: string
  /** Value for the API; undefined = not valid. */
  read(typed: string): string | number | undefined
  /** Text of a value in a field. */
  write(value: string | number): string
  readonly error: string
}

const KINDS: Readonly<Record<BoundName, BoundKind>> = {
  cost: {
    example: '$0.01',
    read: typedDollars,
    write: (value) => `$${value}`,
    error: 'Enter an amount in dollars, such as 0.01.',
  },
  duration: {
    example: '5 s',
    read: typedDuration,
    write: (value) => (Number(value) % 1_000 === 0 ? `${Number(value) / 1_000} s` : `${value} ms`),
    error: 'Enter a duration, such as 800 ms or 5 s.',
  },
  tokens: {
    example: '1000',
    read: typedCount,
    write: String,
    error: 'Enter a whole number, such as 1000 or 20k.',
  },
}

export interface BoundFieldsProps {
  readonly kind: BoundName
  readonly filters: RequestFilters
  onChange(change: RequestFilters): void
}

/** Minimum and maximum of an amount, both included. Enter or leaving a field applies it. */
export function BoundFields({ kind, filters, onChange }: BoundFieldsProps) {
  const [least, most] = BOUND_NAMES[kind]
  const [low, high] = [filters[least], filters[most]]
  const isReversed = low !== undefined && high !== undefined && Number(low) > Number(high)
  return (
    <div className="flex flex-wrap items-start gap-1">
      {([least, most] as const).map((name, index) => (
        <BoundField
          key={`${name} ${filters[name] ?? ''}`}
          kind={kind}
          bound={index === 0 ? 'at least' : 'at most'}
          value={filters[name]}
          problem={index === 1 && isReversed ? 'The maximum is below the minimum.' : undefined}
          onValue={(value) => onChange({ [name]: value })}
        />
      ))}
    </div>
  )
}

interface BoundFieldProps {
  readonly kind: BoundName
  readonly bound: 'at least' | 'at most'
  readonly value: string | number | undefined
  readonly problem: string | undefined
  onValue(value: string | number | undefined): void
}

function BoundField({ kind, bound, value, problem, onValue }: BoundFieldProps) {
  const { example, read, write, error } = KINDS[kind]
  const before = value === undefined ? '' : write(value)
  const [typed, setTyped] = useState(before)
  const [isWrong, setWrong] = useState(false)
  const id = useId()
  const apply = (): void => {
    const isEmpty = typed.trim() === ''
    const next = isEmpty ? undefined : read(typed)
    const isValid = isEmpty || next !== undefined || typed.trim() === before
    setWrong(!isValid)
    if (isValid && typed.trim() !== before) onValue(next)
  }
  const message = isWrong ? error : problem
  return (
    <div>
      <label className="flex items-center gap-1 text-small whitespace-nowrap text-muted">
        {bound}
        <input
          aria-label={`${FILTER_TITLES[kind]} ${bound}`}
          aria-invalid={message === undefined ? undefined : true}
          aria-describedby={message === undefined ? undefined : id}
          className={`${CONTROL} w-20! border-transparent!`}
          placeholder={example}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={apply}
          onKeyDown={(event) => {
            if (event.key === 'Enter') apply()
          }}
        />
      </label>
      {message !== undefined && (
        <p id={id} className="max-w-48 px-1 pb-1 text-small text-bad">
          {message}
        </p>
      )}
    </div>
  )
}

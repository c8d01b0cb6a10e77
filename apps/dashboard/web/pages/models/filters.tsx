import { useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { CONTROL } from '../../components/classes.ts'
import { counted } from '../../formats/numbers.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { CAN, MODEL_FILTERS, type ModelFilters, TAKES } from './search.ts'

const FITS = [8_000, 32_000, 128_000, 200_000, 1_000_000]
/** In cents per million tokens. */
const BELOW = [10, 50, 100, 300, 1_000]

export interface FiltersProps {
  readonly filters: ModelFilters
  readonly families: readonly string[]
  readonly providers: readonly string[]
  onChange(change: ModelFilters): void
}

/** Change that removes all filters. */
export const NO_FILTERS: ModelFilters = Object.fromEntries(Object.keys(MODEL_FILTERS).map((name) => [name, undefined]))

/** What is looked for among models. */
export function ModelsFilters({ filters, families, providers, onChange }: FiltersProps) {
  const field = useRef<HTMLInputElement>(null)
  useShortcut('/', 'Filter', () => field.current?.focus())
  const set = Object.values(filters).filter((value) => value !== undefined).length
  const pick = (name: keyof ModelFilters, text: string): void => onChange({ [name]: MODEL_FILTERS[name](text) })
  const own = { family: families, provider: providers }
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2" aria-label="Filters">
      <input
        ref={field}
        type="search"
        aria-label="Find a model"
        placeholder="Model or provider…"
        className={`${CONTROL} w-56!`}
        value={filters.find ?? ''}
        onChange={({ target }) => pick('find', target.value)}
      />
      {PICKS.map(({ name, options = [], ...shown }) => (
        <Choice
          key={name}
          {...shown}
          value={filters[name]}
          options={name === 'family' || name === 'provider' ? own[name] : options}
          onPick={(text) => pick(name, text)}
        />
      ))}
      {set > 0 && (
        <Button look="quiet" onClick={() => onChange(NO_FILTERS)}>
          Clear {counted(set, 'filter')}
        </Button>
      )}
    </search>
  )
}

type Value = string | number

interface ChoiceProps {
  readonly title: string
  readonly value: Value | undefined
  /** What it says where nothing is picked. */
  readonly any: string
  readonly options: readonly Value[]
  shown?(value: Value): string
  onPick(text: string): void
}

interface PickOf extends Pick<ChoiceProps, 'title' | 'any' | 'shown'> {
  readonly name: Exclude<keyof ModelFilters, 'find'>
  /** Absent = what the models have. */
  readonly options?: readonly Value[]
}

const PICKS: readonly PickOf[] = [
  { name: 'family', title: 'Family', any: 'any family' },
  { name: 'provider', title: 'Provider', any: 'any provider' },
  { name: 'takes', title: 'Takes', any: 'takes anything', options: TAKES, shown: (one) => `takes ${one}` },
  { name: 'can', title: 'Can', any: 'can anything', options: CAN, shown: (one) => `can do ${one}` },
  { name: 'fits', title: 'Context', any: 'any context', options: FITS, shown: (one) => `fits ${sizeOf(Number(one))}` },
  { name: 'below', title: 'Price', any: 'any price', options: BELOW, shown: (one) => `in ≤ $${Number(one) / 100}/M` },
]

function sizeOf(tokens: number): string {
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${tokens / 1_000}K`
}

function Choice({ title, value, any, options, shown = String, onPick }: ChoiceProps) {
  // What an address asks for stays, also where no model has it.
  const all = value === undefined || options.includes(value) ? options : [...options, value]
  return (
    <select
      aria-label={title}
      className={`${CONTROL} w-auto!`}
      value={value ?? ''}
      onChange={({ target }) => onPick(target.value)}
    >
      <option value="">{any}</option>
      {all.map((one) => (
        <option key={one} value={one}>
          {shown(one)}
        </option>
      ))}
    </select>
  )
}

import { useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { CONTROL } from '../../components/classes.ts'
import { Combobox } from '../../components/combobox.tsx'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { CAN, MODEL_FILTERS, type ModelFilters, PRICES, TAKES } from './search.ts'

const FITS = [8_000, 32_000, 128_000, 200_000, 1_000_000]
/** Prices in cents per million tokens. */
const BELOW = [10, 50, 100, 300, 1_000]

export interface FiltersProps {
  readonly filters: ModelFilters
  readonly families: readonly string[]
  readonly providers: readonly string[]
  onChange(change: ModelFilters): void
}

/** Change that removes all filters. */
export const NO_FILTERS: ModelFilters = Object.fromEntries(Object.keys(MODEL_FILTERS).map((name) => [name, undefined]))

/** Filters of the list of models. */
export function ModelsFilters({ filters, families, providers, onChange }: FiltersProps) {
  const field = useRef<HTMLInputElement>(null)
  useShortcut('/', 'Filter', () => field.current?.focus())
  const set = Object.values(filters).filter((value) => value !== undefined).length
  const pick = (name: keyof ModelFilters, text: string): void => onChange({ [name]: MODEL_FILTERS[name](text) })
  const listed = { family: families, provider: providers }
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
      {SELECTS.map(({ name, options = [], ...shown }) => (
        <FilterSelect
          key={name}
          {...shown}
          value={filters[name]}
          options={name === 'family' || name === 'provider' ? listed[name] : options}
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

type FilterValue = string | number

interface FilterSelectProps {
  readonly title: string
  readonly value: FilterValue | undefined
  /** Text of the option without a filter. */
  readonly any: string
  readonly options: readonly FilterValue[]
  shown?(value: FilterValue): string
  onPick(text: string): void
}

interface FilterSpec extends Pick<FilterSelectProps, 'title' | 'any' | 'shown'> {
  readonly name: Exclude<keyof ModelFilters, 'find'>
  /** Absent = the values of the listed models. */
  readonly options?: readonly FilterValue[]
}

const SELECTS: readonly FilterSpec[] = [
  { name: 'family', title: LABELS.family, any: 'Any request type' },
  { name: 'provider', title: LABELS.provider, any: 'Any provider' },
  { name: 'takes', title: LABELS.inputs, any: 'Any input', options: TAKES, shown: (one) => `${one} input` },
  { name: 'can', title: 'Capabilities', any: 'Any capability', options: CAN },
  {
    name: 'fits',
    title: LABELS.context,
    any: 'Any context',
    options: FITS,
    shown: (one) => `context ≥ ${sizeOf(Number(one))}`,
  },
  {
    name: 'below',
    title: 'Price',
    any: 'Any price',
    options: BELOW,
    shown: (one) => `input ≤ $${Number(one) / 100}/M`,
  },
  {
    name: 'price',
    title: 'Price set',
    any: 'With and without a price',
    options: PRICES,
    shown: (one) => (one === 'unknown' ? 'no price set' : 'price set'),
  },
]

function sizeOf(tokens: number): string {
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${tokens / 1_000}K`
}

function FilterSelect({ title, value, any, options, shown = String, onPick }: FilterSelectProps) {
  // The value of the address stays in the list even if no model has it.
  const all = value === undefined || options.includes(value) ? options : [...options, value]
  return (
    <Combobox
      label={title}
      isLabelHidden
      className="max-w-56"
      value={value === undefined ? '' : String(value)}
      options={[{ value: '', title: any }, ...all.map((one) => ({ value: String(one), title: shown(one) }))]}
      onChange={onPick}
    />
  )
}

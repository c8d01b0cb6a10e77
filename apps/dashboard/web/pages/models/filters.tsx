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
  const pick = <Name extends keyof ModelFilters>(name: Name, text: string): void =>
    onChange({ [name]: MODEL_FILTERS[name](text) })
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
      <Pick
        name="Family"
        value={filters.family}
        any="any family"
        options={families}
        onPick={(text) => pick('family', text)}
      />
      <Pick
        name="Provider"
        value={filters.provider}
        any="any provider"
        options={providers}
        onPick={(text) => pick('provider', text)}
      />
      <Pick
        name="Takes"
        value={filters.takes}
        any="takes anything"
        options={TAKES}
        shown={(one) => `takes ${one}`}
        onPick={(text) => pick('takes', text)}
      />
      <Pick
        name="Can"
        value={filters.can}
        any="can anything"
        options={CAN}
        shown={(one) => `can do ${one}`}
        onPick={(text) => pick('can', text)}
      />
      <Pick
        name="Context"
        value={filters.fits}
        any="any context"
        options={FITS}
        shown={(one) => `fits ${one >= 1_000_000 ? `${one / 1_000_000}M` : `${one / 1_000}K`}`}
        onPick={(text) => pick('fits', text)}
      />
      <Pick
        name="Price"
        value={filters.below}
        any="any price"
        options={BELOW}
        shown={(cents) => `in ≤ $${cents / 100}/M`}
        onPick={(text) => pick('below', text)}
      />
      {set > 0 && (
        <Button look="quiet" onClick={() => onChange(NO_FILTERS)}>
          Clear {counted(set, 'filter')}
        </Button>
      )}
    </search>
  )
}

interface PickProps<Value extends string | number> {
  readonly name: string
  readonly value: Value | undefined
  /** What it says where nothing is picked. */
  readonly any: string
  readonly options: readonly Value[]
  shown?(value: Value): string
  onPick(text: string): void
}

function Pick<Value extends string | number>({ name, value, any, options, shown = String, onPick }: PickProps<Value>) {
  // What an address asks for stays, also where no model has it.
  const all = value === undefined || options.includes(value) ? options : [...options, value]
  return (
    <select
      aria-label={name}
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

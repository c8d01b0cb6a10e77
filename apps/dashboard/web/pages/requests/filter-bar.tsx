import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { modelsQuery } from '../../api/models.ts'
import { useKeyNames, useMemberNames } from '../../api/names.ts'
import { Button } from '../../components/button.tsx'
import { CONTROL } from '../../components/classes.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { FAILURES } from './billing.ts'
import { FILTER_NAMES, FILTERS, type FilterName, type Filters } from './search.ts'

const TITLES: Readonly<Record<FilterName, string>> = {
  model: 'Model',
  provider: 'Provider',
  key: 'Key',
  member: 'Made by',
  family: 'Family',
  status: 'Status',
  failure: 'Failure',
  tag: 'Tag',
}
const FAMILIES = ['chat', 'embeddings', 'rerank', 'search', 'video']
const STATUSES = ['200', '400', '401', '429', '499', '500']

export interface FilterBarProps {
  readonly filters: Filters
  /** @param change filters that are added, or undefined for those that are removed */
  onChange(change: Filters): void
}

/** What is looked for, as words that can be taken away, and a field for one more. */
export function FilterBar({ filters, onChange }: FilterBarProps) {
  const keys = useKeyNames()
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState<FilterName>('model')
  const [value, setValue] = useState('')
  const list = useId()
  const [isWanted, setWanted] = useState(false)
  const members = useMemberNames((isWanted && name === 'member') || filters.member !== undefined)
  const options = useOptions(name, isWanted, keys, members)
  useShortcut('/', 'Filter', () => field.current?.focus())
  const add = (): void => {
    const known = FILTERS[name](value.trim())
    if (known === undefined) return
    onChange({ [name]: known })
    setValue('')
  }
  return (
    <form
      className="mb-3 flex flex-wrap items-center gap-2"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      {FILTER_NAMES.filter((one) => filters[one] !== undefined).map((one) => (
        <button
          key={one}
          type="button"
          title="Take it away"
          onClick={() => onChange({ [one]: undefined })}
          className="inline-flex min-h-8 max-w-72 items-center gap-1.5 rounded-field border border-accent px-2 text-small pointer-coarse:min-h-11"
        >
          <span className="text-muted">{TITLES[one]}</span>
          <span className="truncate">{shown(one, String(filters[one]), keys, members)}</span>
          <X aria-hidden size={12} />
        </button>
      ))}
      <div className="flex min-w-0 items-center">
        <select
          aria-label="Filter by"
          className={`${CONTROL} w-auto! rounded-r-none border-r-0`}
          value={name}
          onChange={({ target }) => setName(target.value as FilterName)}
        >
          {FILTER_NAMES.map((one) => (
            <option key={one} value={one}>
              {TITLES[one]}
            </option>
          ))}
        </select>
        <input
          ref={field}
          onFocus={() => setWanted(true)}
          list={list}
          aria-label={`${TITLES[name]} to filter by`}
          className={`${CONTROL} w-44! rounded-l-none`}
          placeholder={name === 'tag' ? 'team=search' : 'Filter…'}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
        <datalist id={list}>
          {options.map(({ value: option, title }) => (
            <option key={option} value={option}>
              {title}
            </option>
          ))}
        </datalist>
      </div>
      {value !== '' && (
        <Button type="submit">
          <Plus aria-hidden size={14} /> Add
        </Button>
      )}
    </form>
  )
}

type Names = ReadonlyMap<string, string>

function shown(name: FilterName, value: string, keys: Names, members: Names): string {
  const names = name === 'key' ? keys : name === 'member' ? members : undefined
  return names?.get(value) ?? value
}

interface Option {
  readonly value: string
  readonly title: string
}

/** What there is to choose from: of the whole catalog, and not of the rows at hand. */
function useOptions(name: FilterName, isWanted: boolean, keys: Names, members: Names): readonly Option[] {
  const models = useQuery({ ...modelsQuery, enabled: isWanted && (name === 'model' || name === 'provider') })
  const plain = (values: readonly string[]): Option[] => values.map((value) => ({ value, title: value }))
  const items = models.data?.items ?? []
  if (name === 'model') return plain(items.map(({ id }) => id))
  if (name === 'provider')
    return plain([...new Set(items.flatMap(({ providers }) => providers.map(({ provider }) => provider)))])
  if (name === 'key' || name === 'member')
    return [...(name === 'key' ? keys : members)].map(([value, title]) => ({ value, title }))
  if (name === 'family') return plain(FAMILIES)
  if (name === 'status') return plain(STATUSES)
  if (name === 'failure') return Object.entries(FAILURES).map(([value, title]) => ({ value, title }))
  return []
}

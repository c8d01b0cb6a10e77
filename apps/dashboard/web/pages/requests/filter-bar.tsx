import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { endpointNames, modelsQuery, providersQuery } from '../../api/models.ts'
import { useKeyNames, useMemberNames } from '../../api/names.ts'
import { Button } from '../../components/button.tsx'
import { CONTROL } from '../../components/classes.ts'
import { LABELS } from '../../labels.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { FAILURES } from './outcomes.ts'
import { FILTER_NAMES, FILTERS, type FilterName, type RequestFilters } from './search.ts'

const TITLES: Readonly<Record<FilterName, string>> = {
  model: LABELS.model,
  provider: LABELS.provider,
  endpoint: LABELS.endpoint,
  key: LABELS.key,
  member: LABELS.owner,
  family: LABELS.family,
  status: LABELS.status,
  failure: LABELS.failure,
  tag: LABELS.tag,
}
const FAMILIES = ['chat', 'embeddings', 'rerank', 'search', 'video']
const STATUSES = ['200', '400', '401', '429', '499', '500']

export interface FilterBarProps {
  readonly filters: RequestFilters
  /** @param change new values; undefined removes a filter */
  onChange(change: RequestFilters): void
}

/** Active filters, each with a remove button, and a field that adds one. */
export function FilterBar({ filters, onChange }: FilterBarProps) {
  const keys = useKeyNames()
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState<FilterName>('model')
  const [value, setValue] = useState('')
  const list = useId()
  const [isWanted, setWanted] = useState(false)
  const members = useMemberNames((isWanted && name === 'member') || filters.member !== undefined)
  const endpoints = useEndpointNames()
  const options = useOptions(name, isWanted, { keys, members, endpoints })
  const offered = FILTER_NAMES.filter((one) => one !== 'endpoint' || endpoints.length > 0)
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
          title="Remove filter"
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
          {offered.map((one) => (
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
          <Plus aria-hidden size={14} /> {LABELS.add}
        </Button>
      )}
    </form>
  )
}

type NamesById = ReadonlyMap<string, string>

function shown(name: FilterName, value: string, keys: NamesById, members: NamesById): string {
  const names = name === 'key' ? keys : name === 'member' ? members : undefined
  return names?.get(value) ?? value
}

interface FilterOption {
  readonly value: string
  readonly title: string
}

/** Names of endpoints; empty if no provider has several. */
function useEndpointNames(): readonly string[] {
  const { data } = useQuery({ ...providersQuery, staleTime: 60_000, refetchInterval: false })
  return endpointNames(data?.items ?? [])
}

interface OptionSources {
  readonly keys: NamesById
  readonly members: NamesById
  readonly endpoints: readonly string[]
}

/** Suggestions for a filter, from the catalog and not from the loaded rows. */
function useOptions(
  name: FilterName,
  isWanted: boolean,
  { keys, members, endpoints }: OptionSources,
): readonly FilterOption[] {
  const models = useQuery({ ...modelsQuery, enabled: isWanted && (name === 'model' || name === 'provider') })
  const plain = (values: readonly string[]): FilterOption[] => values.map((value) => ({ value, title: value }))
  const items = models.data?.items ?? []
  if (name === 'model') return plain(items.map(({ id }) => id))
  if (name === 'provider')
    return plain([...new Set(items.flatMap(({ providers }) => providers.map(({ provider }) => provider)))])
  if (name === 'key' || name === 'member')
    return [...(name === 'key' ? keys : members)].map(([value, title]) => ({ value, title }))
  if (name === 'endpoint') return plain(endpoints)
  if (name === 'family') return plain(FAMILIES)
  if (name === 'status') return plain(STATUSES)
  if (name === 'failure') return Object.entries(FAILURES).map(([value, title]) => ({ value, title }))
  return []
}

import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { RequestRow } from '../../api/usage.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { classes } from '../../components/classes.ts'
import { Combobox } from '../../components/combobox.tsx'
import { OUTCOMES, type OutcomeName } from '../../labels.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { BoundFields } from './bound-fields.tsx'
import {
  activeKinds,
  type BoundName,
  FILTER_KINDS,
  FILTER_TITLES,
  type FilterKind,
  type FilterValues,
  isBound,
  useFilterValues,
  valueError,
  without,
} from './filter-fields.ts'
import { ALL_OUTCOMES, outcomesOf, readList, writeList } from './filters.ts'
import type { RequestFilters } from './search.ts'

export interface FilterBarProps {
  readonly filters: RequestFilters
  /** Loaded rows, whose tags and names of keys are suggestions. */
  readonly rows: readonly RequestRow[]
  /** @param change new values; undefined removes a filter */
  onChange(change: RequestFilters): void
}

/** Filters of the list: outcomes as buttons, other fields as editable tokens. */
export function FilterBar({ filters, rows, onChange }: FilterBarProps) {
  const bar = useRef<HTMLFieldSetElement>(null)
  const [added, setAdded] = useState<FilterKind>()
  const [isWanted, setWanted] = useState(false)
  const active = activeKinds(filters)
  const valuesOf = useFilterValues(isWanted || active.length > 0, rows)
  const shown = FILTER_KINDS.filter((kind) => active.includes(kind) || kind === added)
  const isAddedActive = added !== undefined && active.includes(added)
  const wasActive = useRef(false)
  useEffect(() => {
    // A link or the button that clears all filters removed its values.
    if (wasActive.current && !isAddedActive && !bar.current?.contains(document.activeElement)) setAdded(undefined)
    wasActive.current = isAddedActive
  }, [isAddedActive])
  useShortcut('/', 'Filter', () => bar.current?.querySelector<HTMLElement>('[data-add] [role=combobox]')?.click())
  const remove = (kind: FilterKind): void => {
    setAdded(undefined)
    if (active.includes(kind)) onChange(without(kind))
    bar.current?.querySelector<HTMLElement>('[data-add] [role=combobox]')?.focus()
  }
  return (
    <fieldset
      ref={bar}
      className="mb-3 flex min-w-0 flex-wrap items-start gap-2"
      aria-label="Filters"
      onFocus={() => setWanted(true)}
    >
      <OutcomeButtons filter={filters.outcome} onChange={(outcome) => onChange({ outcome })} />
      {shown.map((kind) => (
        <Token key={kind} kind={kind} isNew={kind === added} onRemove={() => remove(kind)}>
          {isBound(kind) ? (
            <BoundFields kind={kind} filters={filters} onChange={onChange} />
          ) : (
            <ValueFields
              kind={kind}
              filter={filters[kind]}
              values={valuesOf(kind)}
              onChange={(text) => {
                // The token stays until it is removed, also without values, so that its list does not close.
                setAdded(kind)
                onChange({ [kind]: text })
              }}
            />
          )}
        </Token>
      ))}
      <div data-add className="flex items-center">
        <Combobox
          label="Add filter"
          isLabelHidden
          placeholder="Add filter…"
          className="w-36!"
          value=""
          options={FILTER_KINDS.filter((kind) => !shown.includes(kind)).map((kind) => ({
            value: kind,
            title: FILTER_TITLES[kind],
          }))}
          onChange={(kind) => setAdded(FILTER_KINDS.find((one) => one === kind))}
        />
      </div>
    </fieldset>
  )
}

interface TokenProps {
  readonly kind: FilterKind
  /** True if the token was just added: its first control gets the focus. */
  readonly isNew: boolean
  onRemove(): void
  readonly children: React.ReactNode
}

function Token({ kind, isNew, onRemove, children }: TokenProps) {
  const token = useRef<HTMLFieldSetElement>(null)
  const [wasNew] = useState(isNew)
  useEffect(() => {
    if (!wasNew) return
    const list = token.current?.querySelector<HTMLElement>('[role=combobox]')
    if (list) list.click()
    else token.current?.querySelector<HTMLElement>('input')?.focus()
  }, [wasNew])
  const title = FILTER_TITLES[kind]
  return (
    <fieldset
      ref={token}
      aria-label={`${title} filter`}
      className="flex min-w-0 items-start gap-1 rounded-field border border-field pl-2"
    >
      <span className="flex min-h-(--control) items-center text-small text-muted pointer-coarse:min-h-11">{title}</span>
      {children}
      <IconButton label={`Remove filter: ${title}`} onClick={onRemove}>
        <X aria-hidden size={14} />
      </IconButton>
    </fieldset>
  )
}

interface ValueFieldsProps {
  readonly kind: Exclude<FilterKind, BoundName>
  readonly filter: string | undefined
  readonly values: FilterValues
  onChange(text: string | undefined): void
}

/** Values of a filter, and whether rows must have or must not have them. */
function ValueFields({ kind, filter, values: { options, allowsOther }, onChange }: ValueFieldsProps) {
  const [error, setError] = useState<string>()
  const common = { label: `${FILTER_TITLES[kind]}: values`, isLabelHidden: true, options, allowsOther, error } as const
  const look = { placeholder: 'Choose…', className: 'w-44! border-transparent!' } as const
  const change = (values: readonly string[], write: () => string | undefined): void => {
    const wrong = valueError(kind, values)
    setError(wrong)
    if (wrong === undefined) onChange(write())
  }
  if (kind === 'tag' || kind === 'stream')
    return (
      <Combobox
        {...common}
        {...look}
        value={filter ?? ''}
        onChange={(value) => change([value], () => (value === '' ? undefined : value))}
      />
    )
  const { values, isNot } = readList(filter ?? '')
  return (
    <>
      <Button
        look="quiet"
        className="px-1! text-text!"
        title="Switch between “is” and “is not”"
        onClick={() => onChange(writeList({ values, isNot: !isNot }))}
        disabled={values.length === 0}
      >
        {isNot ? 'is not' : 'is'}
      </Button>
      <Combobox
        {...common}
        {...look}
        multiple
        value={values}
        onChange={(chosen) => change(chosen, () => writeList({ values: chosen, isNot }))}
      />
    </>
  )
}

interface OutcomeButtonsProps {
  readonly filter: string | undefined
  onChange(filter: string | undefined): void
}

/** Buttons of all outcomes. They are also the legend of the dots. */
function OutcomeButtons({ filter, onChange }: OutcomeButtonsProps) {
  const chosen = outcomesOf(filter)
  const toggle = (one: OutcomeName): void => {
    const next = ALL_OUTCOMES.filter((other) => chosen.includes(other) !== (other === one))
    onChange(next.length === ALL_OUTCOMES.length ? undefined : writeList({ values: next, isNot: false }))
  }
  return (
    <fieldset aria-label="Outcomes" className="flex flex-wrap rounded-field border border-field">
      {ALL_OUTCOMES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={chosen.includes(one)}
          title={OUTCOMES[one].title}
          onClick={() => toggle(one)}
          className="inline-flex min-h-[calc(var(--control)-2px)] items-center gap-1.5 rounded-field px-2 text-small outline-offset-[-2px] hover:bg-sunken aria-pressed:bg-sunken aria-pressed:font-semibold pointer-coarse:min-h-11"
        >
          <span aria-hidden className={classes('size-2 rounded-full', OUTCOMES[one].dot)} />
          {OUTCOMES[one].label}
        </button>
      ))}
    </fieldset>
  )
}

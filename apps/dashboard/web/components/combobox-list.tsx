import { Combobox as Base } from '@base-ui/react/combobox'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { classes } from './classes.ts'
import type { ComboboxOption, ComboboxProps } from './combobox-props.ts'

/** Number of options from which the search field is visible. With fewer options, it appears on typing. */
const SEARCH_FROM = 8
/** Maximum number of options that are rendered. */
const MOST = 200

/** Options that contain each searched word, and the search itself if other values are allowed. */
export function matchingOptions(
  options: readonly ComboboxOption[],
  search: string,
  allowsOther: boolean,
): readonly ComboboxOption[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = options.filter(({ value, title, hint = '' }) => {
    const text = `${title} ${value} ${hint}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const typed = search.trim()
  const isKnown = typed === '' || options.some(({ value, title }) => value === typed || title === typed)
  return allowsOther && !isKnown ? [...found, { value: typed, title: typed, hint: 'as typed' }] : found
}

/** Search field and options of a combobox. It has the focus while it is open. */
export function ComboboxList(props: ComboboxProps & { onDone(isElsewhere?: boolean): void }) {
  const { label, options, allowsOther = false, onDone } = props
  const [search, setSearch] = useState('')
  const found = matchingOptions(options, search, allowsOther)
  const shown = found.slice(0, MOST)
  const chosen = props.multiple ? props.value : [props.value]
  const isSearchHidden = search === '' && options.length < SEARCH_FROM && !allowsOther
  const optionOf = (value: string): ComboboxOption =>
    options.find((option) => option.value === value) ?? { value, title: value }
  const common = {
    inline: true,
    open: true,
    items: shown,
    filter: null,
    inputValue: search,
    isItemEqualToValue: (one: ComboboxOption, other: ComboboxOption) => one.value === other.value,
    itemToStringLabel: ({ title }: ComboboxOption) => title,
    onInputValueChange: (text: string, { reason }: { readonly reason: string }) => {
      if (reason === 'input-change' || reason === 'input-clear') setSearch(text)
    },
    autoHighlight: true,
  } as const
  const list = (
    <>
      <Base.Input
        autoFocus
        aria-label={`Search: ${label}`}
        placeholder={allowsOther ? 'Search or type a value…' : 'Search…'}
        className={classes(
          isSearchHidden ? 'sr-only' : 'mb-1 min-h-(--control) w-full rounded-field border border-field bg-bg px-2.5',
        )}
      />
      <Base.Empty className="px-2.5 py-1.5 text-muted empty:hidden">No matches.</Base.Empty>
      <Base.List aria-label={`${label}: list`} className="max-h-[min(20rem,50dvh)] overflow-y-auto">
        {(option: ComboboxOption) => <Option key={option.value} option={option} />}
      </Base.List>
      {found.length > MOST && (
        <p className="px-2.5 py-1.5 text-small text-muted">{found.length - MOST} more. Type to search.</p>
      )}
    </>
  )
  if (props.multiple)
    return (
      <Base.Root
        {...common}
        multiple
        value={chosen.map(optionOf)}
        onValueChange={(values) => {
          setSearch('')
          props.onChange(values.map(({ value }) => value))
        }}
      >
        {list}
      </Base.Root>
    )
  return (
    <Base.Root
      {...common}
      value={chosen[0] === undefined ? null : optionOf(chosen[0])}
      onValueChange={(option) => {
        if (option) props.onChange(option.value)
        onDone()
      }}
    >
      {list}
    </Base.Root>
  )
}

function Option({ option }: { readonly option: ComboboxOption }) {
  const { title, hint } = option
  return (
    <Base.Item
      value={option}
      className="flex min-h-(--control) cursor-pointer items-center gap-2 rounded-field px-2.5 data-highlighted:bg-sunken pointer-coarse:min-h-11"
    >
      <span className="w-4 shrink-0">
        <Base.ItemIndicator>
          <Check aria-hidden size={14} />
        </Base.ItemIndicator>
      </span>
      <span className="min-w-0 grow truncate">{title || '–'}</span>
      {hint !== undefined && <span className="shrink-0 text-small text-muted">{hint}</span>}
    </Base.Item>
  )
}

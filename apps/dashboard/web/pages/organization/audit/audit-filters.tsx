import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { type Choice, SelectField, TextField } from '../../../components/field.tsx'
import { useShortcut } from '../../../shell/shortcuts.ts'
import { text } from '../../../view/search.ts'
import { type AuditFilters, KINDS, KNOWN_ACTIONS } from './audit.ts'

export interface AuditFilterBarProps {
  readonly filters: AuditFilters
  readonly names: ReadonlyMap<string, string>
  onChange(filters: { readonly [Name in keyof AuditFilters]: AuditFilters[Name] | undefined }): void
}

/** By whom, what, and to which thing: the time is that of all pages. */
export function AuditFilterBar({
  filters: { actor = '', action = '', target = '' },
  names,
  onChange,
}: AuditFilterBarProps) {
  const form = useRef<HTMLFormElement>(null)
  useShortcut('/', 'Filter', () => form.current?.querySelector('select')?.focus())
  const who = [...names].filter(([id]) => /^(?:per|key)_/.test(id)).map(([value, title]) => ({ value, title }))
  const kinds = Object.entries(KINDS).map(([value, title]) => ({ value, title }))
  const actions = KNOWN_ACTIONS.map((value) => ({ value, title: value.includes('.') ? value : `all of ${value}` }))
  return (
    <form
      ref={form}
      aria-label="Filters"
      className="mb-3 grid grid-cols-2 items-end gap-3 max-sm:w-full sm:flex sm:flex-wrap"
      onSubmit={(event) => event.preventDefault()}
    >
      <div className="min-w-0 sm:w-48">
        <SelectField
          label="By"
          value={actor}
          onPick={(value) => onChange({ actor: value || undefined })}
          choices={withChosen([{ value: '', title: 'everybody' }, ...kinds, ...who], actor)}
        />
      </div>
      <div className="min-w-0 sm:w-44">
        <SelectField
          label="Action"
          value={action}
          onPick={(value) => onChange({ action: value || undefined })}
          choices={withChosen([{ value: '', title: 'everything' }, ...actions], action)}
        />
      </div>
      <TargetField value={target} onChange={(value) => onChange({ target: value })} />
      {(actor !== '' || action !== '' || target !== '') && (
        <Button look="quiet" onClick={() => onChange({ actor: undefined, action: undefined, target: undefined })}>
          Clear
        </Button>
      )}
    </form>
  )
}

/** An id: looked for when it is whole, and not with each letter. */
function TargetField({ value, onChange }: { readonly value: string; onChange(value: string | undefined): void }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const take = (): void => {
    const next = text(typed.trim())
    if ((next ?? '') !== value) onChange(next)
  }
  return (
    <div className="min-w-0 max-sm:col-span-2 sm:w-56">
      <TextField
        label="To"
        type="search"
        autoComplete="off"
        spellCheck={false}
        placeholder="Id of what was changed"
        value={typed}
        onText={setTyped}
        onBlur={take}
        onKeyDown={({ key }) => key === 'Enter' && take()}
      />
    </div>
  )
}

/** What an address asks for is among the choices, whether it is known or not. */
function withChosen(choices: readonly Choice[], chosen: string): readonly Choice[] {
  return choices.some(({ value }) => value === chosen) ? choices : [...choices, { value: chosen, title: chosen }]
}

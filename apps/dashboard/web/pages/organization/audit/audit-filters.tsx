import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { SelectField, type SelectOption, TextField } from '../../../components/field.tsx'
import { LABELS } from '../../../labels.ts'
import { useShortcut } from '../../../shell/shortcuts.ts'
import { text } from '../../../view/search.ts'
import { type AuditFilters, KINDS, KNOWN_ACTIONS } from './audit.ts'

export interface AuditFilterBarProps {
  readonly filters: AuditFilters
  readonly names: ReadonlyMap<string, string>
  onChange(filters: { readonly [Name in keyof AuditFilters]: AuditFilters[Name] | undefined }): void
}

/** Filters by actor, action and target. */
export function AuditFilterBar({
  filters: { actor = '', action = '', target = '' },
  names,
  onChange,
}: AuditFilterBarProps) {
  const form = useRef<HTMLFormElement>(null)
  useShortcut('/', 'Filter', () => form.current?.querySelector('select')?.focus())
  const actors = [...names].filter(([id]) => /^(?:per|key)_/.test(id)).map(([value, title]) => ({ value, title }))
  const kinds = Object.entries(KINDS).map(([value, title]) => ({ value, title }))
  const actions = KNOWN_ACTIONS.map((value) => ({ value, title: value.includes('.') ? value : `${value}.*` }))
  return (
    <form
      ref={form}
      aria-label="Filters"
      className="mb-3 grid grid-cols-2 items-end gap-3 max-sm:w-full sm:flex sm:flex-wrap"
      onSubmit={(event) => event.preventDefault()}
    >
      <div className="min-w-0 sm:w-48">
        <SelectField
          label="Actor"
          value={actor}
          onPick={(value) => onChange({ actor: value || undefined })}
          choices={withChosen([{ value: '', title: 'Anyone' }, ...kinds, ...actors], actor)}
        />
      </div>
      <div className="min-w-0 sm:w-44">
        <SelectField
          label="Action"
          value={action}
          onPick={(value) => onChange({ action: value || undefined })}
          choices={withChosen([{ value: '', title: 'Any action' }, ...actions], action)}
        />
      </div>
      <TargetField value={target} onChange={(value) => onChange({ target: value })} />
      {(actor !== '' || action !== '' || target !== '') && (
        <Button look="quiet" onClick={() => onChange({ actor: undefined, action: undefined, target: undefined })}>
          {LABELS.clear}
        </Button>
      )}
    </form>
  )
}

/** Field for the ID of a target. It searches on Enter and on blur, not on each letter. */
function TargetField({ value, onChange }: { readonly value: string; onChange(value: string | undefined): void }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const apply = (): void => {
    const next = text(typed.trim())
    if ((next ?? '') !== value) onChange(next)
  }
  return (
    <div className="min-w-0 max-sm:col-span-2 sm:w-56">
      <TextField
        label="Target"
        type="search"
        autoComplete="off"
        spellCheck={false}
        placeholder="ID of the target"
        value={typed}
        onText={setTyped}
        onBlur={apply}
        onKeyDown={({ key }) => key === 'Enter' && apply()}
      />
    </div>
  )
}

/** Adds the value of the address to the choices if it is missing. */
function withChosen(choices: readonly SelectOption[], chosen: string): readonly SelectOption[] {
  return choices.some(({ value }) => value === chosen) ? choices : [...choices, { value: chosen, title: chosen }]
}

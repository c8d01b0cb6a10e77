import { useMutation, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import { announce } from '../../../components/announcements.tsx'
import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField, TextField } from '../../../components/field.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { counted } from '../../../formats/numbers.ts'
import { Fold } from '../panel-fold.tsx'
import { completeCall } from '../wire/call.ts'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import { COMMON, queryOf, RARE, type SearchParameter } from './parameters.ts'
import { ResultList } from './result-list.tsx'
import { resultsOf } from './results.ts'

/** Settings of a search, except the query. */
interface SearchSettings {
  /** Parameters by name. */
  readonly values: Readonly<Record<string, string>>
  /** Search backend; empty = the configured order. */
  readonly vendor: string
  readonly isStrict: boolean
}

/** Search with all parameters, on any backend. */
export function SearchPart({ project }: { readonly project: string | undefined }) {
  const [q, setQ] = useState('')
  const [choices, setChoices] = useState<SearchSettings>({ values: {}, vendor: '', isStrict: false })
  const { values, vendor, isStrict } = choices
  const search = useMutation({
    mutationFn: (start: number | undefined) =>
      completeCall({
        method: 'GET',
        path: 'customsearch/v1',
        project,
        query: queryOf(q, start === undefined ? values : { ...values, start: String(start) }),
        headers: { ...(vendor !== '' && { vendor }), ...(isStrict && { 'headgate-strict': 'true' }) },
      }),
    onSuccess: ({ answer }) => announce(counted(resultsOf(answer).items.length, 'result')),
  })
  return (
    <form
      className="grid items-start gap-4 md:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event) => {
        event.preventDefault()
        if (q.trim() !== '') search.mutate(undefined)
      }}
    >
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex items-end gap-2">
          <div className="min-w-0 grow">
            <TextField label="Query" type="search" value={q} onText={setQ} />
          </div>
          <Button type="submit" look="primary" isBusy={search.isPending} disabled={q.trim() === ''}>
            <Search aria-hidden size={14} /> Search
          </Button>
        </div>
        {search.isPending && <Skeleton rows={6} height="48px" />}
        {search.error && <Failed error={search.error} retry={() => search.mutate(search.variables)} />}
        {search.isIdle && (
          <Empty title="Search the web">Without a search backend, this searches the Headgate documentation.</Empty>
        )}
        {search.isSuccess && (
          <ExchangeTabs label="Search" exchange={search.data}>
            <ResultList found={search.data} onPage={(start) => search.mutate(start)} />
          </ExchangeTabs>
        )}
      </div>
      <SettingFields choices={choices} onChange={(change) => setChoices((before) => ({ ...before, ...change }))} />
    </form>
  )
}

interface SettingFieldsProps {
  readonly choices: SearchSettings
  onChange(change: Partial<SearchSettings>): void
}

function SettingFields({ choices: { values, vendor, isStrict }, onChange }: SettingFieldsProps) {
  const providers =
    useQuery({ queryKey: ['providers'], queryFn: ({ signal }) => callApi('GET /providers', { signal }) }).data?.items ??
    []
  const backends = providers.filter(
    ({ kind, state }) => kind === 'search' && state !== 'off' && state !== 'no-credential',
  )
  const field = (parameter: SearchParameter) => (
    <ParameterField
      key={parameter.name}
      of={parameter}
      value={values[parameter.name] ?? ''}
      onText={(text) => onChange({ values: { ...values, [parameter.name]: text } })}
    />
  )
  return (
    <div className="flex flex-col gap-2">
      <Fold title="Parameters" isOpen>
        <SelectField
          label="Backend"
          choices={[
            { value: '', title: 'Configured order' },
            ...backends.map(({ name }) => ({ value: name, title: name })),
          ]}
          value={vendor}
          onPick={(vendor) => onChange({ vendor })}
        />
        <div className="grid grid-cols-2 items-end gap-3">{COMMON.map(field)}</div>
        <CheckField label="Strict translation" checked={isStrict} onCheck={(isStrict) => onChange({ isStrict })} />
      </Fold>
      <Fold title="More parameters">
        <div className="grid grid-cols-2 items-end gap-3">{RARE.map(field)}</div>
      </Fold>
    </div>
  )
}

interface ParameterFieldProps {
  readonly of: SearchParameter
  readonly value: string
  onText(text: string): void
}

function ParameterField({ of: { title, hint, choices, titles }, value, onText }: ParameterFieldProps) {
  if (!choices) return <TextField label={title} placeholder={hint} value={value} onText={onText} />
  return (
    <SelectField
      label={title}
      hint={hint}
      choices={[{ value: '', title: 'any' }, ...choices.map((one) => ({ value: one, title: titles?.[one] ?? one }))]}
      value={value}
      onPick={onText}
    />
  )
}

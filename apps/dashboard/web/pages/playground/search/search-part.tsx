import { useMutation, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import { announce } from '../../../components/announcements.tsx'
import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField, TextField } from '../../../components/field.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { counted } from '../../../formats/numbers.ts'
import { Fold } from '../fold.tsx'
import { ExchangeTabs } from '../wire/exchange-tabs.tsx'
import { askPlain } from '../wire/plain.ts'
import { type Parameter, queryOf, RARE, USUAL } from './parameters.ts'
import { ResultList } from './result-list.tsx'
import { resultsOf } from './results.ts'

/** A search with all its parameters, by whichever backend. */
export function SearchPart({ project }: { readonly project: string | undefined }) {
  const [q, setQ] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [vendor, setVendor] = useState('')
  const [isStrict, setStrict] = useState(false)
  const providers =
    useQuery({ queryKey: ['providers'], queryFn: ({ signal }) => ask('GET /providers', { signal }) }).data?.items ?? []
  const backends = providers.filter(
    ({ kind, state }) => kind === 'search' && state !== 'off' && state !== 'no-credential',
  )
  const search = useMutation({
    mutationFn: (start: number | undefined) =>
      askPlain({
        method: 'GET',
        path: 'customsearch/v1',
        project,
        query: queryOf(q, start === undefined ? values : { ...values, start: String(start) }),
        headers: { ...(vendor !== '' && { vendor }), ...(isStrict && { 'headgate-strict': 'true' }) },
      }),
    onSuccess: ({ answer }) => announce(counted(resultsOf(answer).items.length, 'result')),
  })
  const found = search.data
  const field = ({ name, title, hint, choices, titles }: Parameter) =>
    choices ? (
      <SelectField
        key={name}
        label={title}
        {...(hint !== undefined && { hint })}
        choices={[{ value: '', title: 'any' }, ...choices.map((value) => ({ value, title: titles?.[value] ?? value }))]}
        value={values[name] ?? ''}
        onChange={({ target }) => setValues({ ...values, [name]: target.value })}
      />
    ) : (
      <TextField
        key={name}
        label={title}
        placeholder={hint}
        value={values[name] ?? ''}
        onChange={({ target }) => setValues({ ...values, [name]: target.value })}
      />
    )
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
            <TextField label="Words" type="search" value={q} onChange={({ target }) => setQ(target.value)} />
          </div>
          <Button type="submit" look="primary" isBusy={search.isPending} disabled={q.trim() === ''}>
            <Search aria-hidden size={14} /> Search
          </Button>
        </div>
        {search.isPending && <Skeleton rows={6} height="48px" />}
        {search.error && <Failed error={search.error} retry={() => search.mutate(search.variables)} />}
        {!found && search.isIdle && (
          <Empty title="What shall be found?">With no backend set up it is Headgate’s own documentation.</Empty>
        )}
        {found && !search.isPending && !search.error && (
          <ExchangeTabs label="About the search" exchange={found}>
            <ResultList found={found} onPage={(start) => search.mutate(start)} />
          </ExchangeTabs>
        )}
      </div>
      <div className="flex flex-col gap-2">
        <Fold title="Parameters" isOpen>
          <SelectField
            label="Backend"
            choices={[
              { value: '', title: 'by its order' },
              ...backends.map(({ name }) => ({ value: name, title: name })),
            ]}
            value={vendor}
            onChange={({ target }) => setVendor(target.value)}
          />
          <div className="grid grid-cols-2 items-end gap-3">{USUAL.map(field)}</div>
          <CheckField
            label="Refuse what would be lost"
            checked={isStrict}
            onChange={({ target }) => setStrict(target.checked)}
          />
        </Fold>
        <Fold title="More parameters">
          <div className="grid grid-cols-2 items-end gap-3">{RARE.map(field)}</div>
        </Fold>
      </div>
    </form>
  )
}

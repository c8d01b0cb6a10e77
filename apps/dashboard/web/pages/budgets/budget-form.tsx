import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ask } from '../../api/ask.ts'
import type { Budget } from '../../api/budgets.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Fold } from '../../components/fold.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { nanosOf, typedMoney } from '../../formats/money.ts'
import { type Scope, useOwners } from './owners.ts'
import { changeSentence, newSentence } from './sentences.ts'
import { zones } from './zones.ts'

const SCOPES: readonly { readonly value: Scope; readonly title: string }[] = [
  { value: 'organisation', title: 'the organisation' },
  { value: 'project', title: 'a project' },
  { value: 'member', title: 'a member' },
  { value: 'key', title: 'a key' },
]
const PERIODS = [
  { value: 'day', title: 'a day' },
  { value: 'week', title: 'a week' },
  { value: 'month', title: 'a month' },
  { value: 'forever', title: 'in all' },
]
const COUNTS: readonly { readonly value: Budget['counts']; readonly title: string }[] = [
  { value: 'charged', title: 'what is charged' },
  { value: 'cost', title: 'what providers bill' },
]

export interface BudgetFormProps {
  /** The one that is changed; undefined = a new one. */
  readonly of?: Budget | undefined
  /** After it was saved, where the form is still open. */
  onDone(id: string): void
  onCancel(): void
}

/** Sets a budget, raises it or lowers it, and says what that means before it is done. */
export function BudgetForm({ of, onDone, onCancel }: BudgetFormProps) {
  const client = useQueryClient()
  const owners = useOwners()
  const known = useId()
  const [scope, setScope] = useState<Scope>(of?.scope ?? 'organisation')
  const [chosen, setOwner] = useState(of?.owner ?? '')
  const [name, setName] = useState(of?.name ?? '')
  const [amount, setAmount] = useState(of ? typedMoney(of.limit) : '')
  const [period, setPeriod] = useState<Budget['period']>(of?.period ?? 'month')
  const [zone, setZone] = useState(of?.zone ?? '')
  const [counts, setCounts] = useState<Budget['counts']>(of?.counts ?? 'charged')
  const [soft, setSoft] = useState(of?.soft ?? false)
  const choices = [...owners[scope]].map(([value, title]) => ({ value, title }))
  const owner = chosen !== '' && (of || owners[scope].has(chosen)) ? chosen : (choices[0]?.value ?? '')
  const limit = nanosOf(amount)
  const save = useMutation({
    mutationFn: (nanos: string) => {
      const body = {
        scope,
        owner,
        limit: nanos,
        period,
        soft,
        counts,
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(zone.trim() !== '' && { zone: zone.trim() }),
      }
      if (!of) return confirmed(() => ask('POST /budgets', { body }))
      return confirmed(() => ask('PUT /budgets/{budget}', { params: { budget: of.id }, version: of.version, body }))
    },
    onSuccess: () => {
      toast(
        of
          ? `${name.trim() || of.name} is changed, in every process within a second.`
          : 'The budget is set, in every process within a second.',
      )
      return client.invalidateQueries({ queryKey: ['budgets'] })
    },
  })
  const wrong = amount !== '' && limit === undefined ? 'An amount in dollars, as 50 or 0.5.' : undefined
  const errorOf = (field: string): string | undefined => fieldError(save.error, field)
  const isSameWindow = of !== undefined && of.period === period && (zone.trim() === '' || of.zone === zone.trim())
  const isSame = isSameWindow && of.limit === limit && of.soft === soft
  return (
    <Form
      error={save.error}
      fields={['limit', 'name', 'owner', 'zone', 'counts']}
      onSubmit={() => limit !== undefined && save.mutate(limit, { onSuccess: ({ id }) => onDone(id) })}
    >
      {!of && (
        <div className="grid grid-cols-2 gap-3">
          <SelectField
            label="Budget of"
            value={scope}
            onChange={({ target }) => setScope(target.value as Scope)}
            choices={SCOPES}
          />
          <SelectField
            label="Which"
            value={owner}
            onChange={({ target }) => setOwner(target.value)}
            choices={choices}
            error={choices.length === 0 ? 'There is none yet.' : errorOf('owner')}
          />
        </div>
      )}
      <TextField
        label="Name"
        autoComplete="off"
        placeholder="as its amount"
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={errorOf('name')}
      />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Amount in dollars"
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
          error={wrong ?? errorOf('limit')}
        />
        <SelectField
          label="For"
          value={period}
          onChange={({ target }) => setPeriod(target.value as Budget['period'])}
          choices={PERIODS}
        />
      </div>
      <CheckField
        label="Only alerts"
        hint="Requests go on when it is used up."
        checked={soft}
        onChange={({ target }) => setSoft(target.checked)}
      />
      <Fold title="What it counts, and whose days" isWrong={Boolean(errorOf('zone') ?? errorOf('counts'))}>
        <SelectField
          label="Counts"
          value={counts}
          onChange={({ target }) => setCounts(target.value as Budget['counts'])}
          choices={COUNTS}
          error={errorOf('counts')}
        />
        {period !== 'forever' && (
          <>
            <TextField
              label="Time zone"
              hint="In which its days, weeks and months begin. Empty: that of the gateway."
              autoComplete="off"
              list={known}
              placeholder="Europe/Berlin"
              value={zone}
              onChange={({ target }) => setZone(target.value)}
              error={errorOf('zone')}
            />
            <datalist id={known}>
              {zones().map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </>
        )}
      </Fold>
      {limit !== undefined && !isSame && (
        <Note look="plain">{isSameWindow ? changeSentence(of, limit, soft) : newSentence(limit, period, soft)}</Note>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={limit === undefined || owner === ''} isBusy={save.isPending}>
          {of ? 'Change the budget' : 'Set the budget'}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </Form>
  )
}

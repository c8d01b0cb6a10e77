import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { nanosOf, typedMoney } from '../../formats/money.ts'
import type { Budget } from '../keys/keys.ts'
import { type Scope, useOwners } from './owners.ts'
import { changeSentence, newSentence } from './sentences.ts'

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

export interface BudgetFormProps {
  /** The one that is changed; undefined = a new one. */
  readonly of?: Budget
  onDone(): void
  onCancel(): void
}

/** Sets a budget, raises it or lowers it, and says what that means before it is done. */
export function BudgetForm({ of, onDone, onCancel }: BudgetFormProps) {
  const client = useQueryClient()
  const owners = useOwners()
  const [scope, setScope] = useState<Scope>(of?.scope ?? 'organisation')
  const [chosen, setOwner] = useState(of?.owner ?? '')
  const [name, setName] = useState(of?.name ?? '')
  const [amount, setAmount] = useState(of ? typedMoney(of.limit) : '')
  const [period, setPeriod] = useState<Budget['period']>(of?.period ?? 'month')
  const [soft, setSoft] = useState(of?.soft ?? false)
  const choices = [...owners[scope]].map(([value, title]) => ({ value, title }))
  const owner = chosen !== '' && (of || owners[scope].has(chosen)) ? chosen : (choices[0]?.value ?? '')
  const limit = nanosOf(amount)
  const save = useMutation({
    mutationFn: (nanos: string) => {
      const terms = { scope, owner, limit: nanos, period, soft, ...(name.trim() !== '' && { name: name.trim() }) }
      if (!of) return confirmed(() => ask('POST /budgets', { body: terms }))
      const body = { ...terms, zone: of.zone, counts: of.counts }
      return confirmed(() => ask('PUT /budgets/{budget}', { params: { budget: of.id }, version: of.version, body }))
    },
    onSuccess: () => {
      onDone()
      return client.invalidateQueries({ queryKey: ['budgets'] })
    },
  })
  const wrong = amount !== '' && limit === undefined ? 'An amount in dollars, as 50 or 0.5.' : undefined
  return (
    <Form error={save.error} fields={['limit', 'name', 'owner']} onSubmit={() => limit !== undefined && save.mutate(limit)}>
      {!of && (
        <div className="grid grid-cols-2 gap-3">
          <SelectField label="Budget of" value={scope} onChange={({ target }) => setScope(target.value as Scope)} choices={SCOPES} />
          <SelectField
            label="Which"
            value={owner}
            onChange={({ target }) => setOwner(target.value)}
            choices={choices}
            error={fieldError(save.error, 'owner')}
          />
        </div>
      )}
      <TextField
        label="Name"
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={fieldError(save.error, 'name')}
      />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Amount in dollars"
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
          error={wrong ?? fieldError(save.error, 'limit')}
        />
        <SelectField label="For" value={period} onChange={({ target }) => setPeriod(target.value as Budget['period'])} choices={PERIODS} />
      </div>
      <CheckField
        label="Only alerts"
        hint="Requests go on when it is used up."
        checked={soft}
        onChange={({ target }) => setSoft(target.checked)}
      />
      {limit !== undefined && (
        <Note look="plain">{of && of.period === period ? changeSentence(of, limit, soft) : newSentence(limit, period, soft)}</Note>
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

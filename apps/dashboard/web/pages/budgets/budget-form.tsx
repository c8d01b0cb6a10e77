import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ask, type BodyOf } from '../../api/ask.ts'
import type { Budget } from '../../api/budgets.ts'
import { PERIOD_CHOICES } from '../../budgets/periods.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, type Choice, SelectField, TextField } from '../../components/field.tsx'
import { Fold } from '../../components/fold.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { type Nanos, nanosOf, typedMoney } from '../../formats/money.ts'
import { type Scope, useOwners } from './owners.ts'
import { changeSentence, newSentence } from './sentences.ts'

const SCOPES: readonly { readonly value: Scope; readonly title: string }[] = [
  { value: 'organization', title: 'the organization' },
  { value: 'project', title: 'a project' },
  { value: 'member', title: 'a member' },
  { value: 'key', title: 'a key' },
]
const COUNTS: readonly { readonly value: Budget['counts']; readonly title: string }[] = [
  { value: 'charged', title: 'what is charged' },
  { value: 'cost', title: 'what providers bill' },
]

/** Budget as it is typed. Empty name and zone = the default. */
interface BudgetDraft extends Pick<Budget, 'scope' | 'owner' | 'name' | 'period' | 'zone' | 'counts' | 'soft'> {
  /** Limit in dollars. */
  readonly amount: string
}

const NEW_BUDGET: BudgetDraft = {
  scope: 'organization',
  owner: '',
  name: '',
  amount: '',
  period: 'month',
  zone: '',
  counts: 'charged',
  soft: false,
}

export interface BudgetFormProps {
  /** Budget that is changed; undefined = a new one. */
  readonly of?: Budget | undefined
  /** After it was saved, where the form is still open. */
  onDone(id: string): void
  onCancel(): void
}

/** Form that sets a budget, raises it or lowers it, and says what that means before it is done. */
export function BudgetForm({ of, onDone, onCancel }: BudgetFormProps) {
  const owners = useOwners()
  const [draft, setDraft] = useState<BudgetDraft>(() => (of ? { ...of, amount: typedMoney(of.limit) } : NEW_BUDGET))
  const change = (next: Partial<BudgetDraft>): void => setDraft((before) => ({ ...before, ...next }))
  const choices = [...owners[draft.scope]].map(([value, title]) => ({ value, title }))
  const isChosen = draft.owner !== '' && (of || owners[draft.scope].has(draft.owner))
  const owner = isChosen ? draft.owner : (choices[0]?.value ?? '')
  const limit = nanosOf(draft.amount)
  const save = useSave(of)
  const errorOf = (field: string): string | undefined => fieldError(save.error, field)
  const fields = { draft, onChange: change, errorOf }
  const submit = (): void => {
    if (limit !== undefined) save.mutate(bodyOf(draft, owner, limit), { onSuccess: ({ id }) => onDone(id) })
  }
  return (
    <Form error={save.error} fields={['limit', 'name', 'owner', 'zone', 'counts']} onSubmit={submit}>
      {!of && <OwnerFields {...fields} owner={owner} choices={choices} />}
      <TextField
        label="Name"
        autoComplete="off"
        placeholder="as its amount"
        value={draft.name}
        onText={(name) => change({ name })}
        error={errorOf('name')}
      />
      <AmountFields {...fields} />
      <CountingFields {...fields} />
      {limit !== undefined && <Consequence of={of} draft={draft} limit={limit} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={limit === undefined || owner === ''} isBusy={save.isPending}>
          {of ? 'Change the budget' : 'Set the budget'}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </Form>
  )
}

type BudgetBody = NonNullable<BodyOf<'POST /budgets'>>

function bodyOf({ scope, name, period, zone, counts, soft }: BudgetDraft, owner: string, limit: Nanos): BudgetBody {
  return { scope, owner, limit, period, soft, counts, name: name.trim() || undefined, zone: zone.trim() || undefined }
}

function useSave(of: Budget | undefined) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: BudgetBody) =>
      confirmed(() =>
        of
          ? ask('PUT /budgets/{budget}', { params: { budget: of.id }, version: of.version, body })
          : ask('POST /budgets', { body }),
      ),
    onSuccess: (_, { name }) => {
      const what = of ? `${name || of.name} is changed` : 'The budget is set'
      toast(`${what}, in every process within a second.`)
      return client.invalidateQueries({ queryKey: ['budgets'] })
    },
  })
}

interface FieldsProps {
  readonly draft: BudgetDraft
  onChange(change: Partial<BudgetDraft>): void
  errorOf(field: string): string | undefined
}

interface OwnerFieldsProps extends FieldsProps {
  /** Owner that is chosen, or the first choice. */
  readonly owner: string
  readonly choices: readonly Choice[]
}

function OwnerFields({ draft, onChange, errorOf, owner, choices }: OwnerFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <SelectField label="Budget of" value={draft.scope} onPick={(scope) => onChange({ scope })} choices={SCOPES} />
      <SelectField
        label="Which"
        value={owner}
        onPick={(owner) => onChange({ owner })}
        choices={choices}
        error={choices.length === 0 ? 'There is none yet.' : errorOf('owner')}
      />
    </div>
  )
}

/** Limit, window, and what happens when it is used up. */
function AmountFields({ draft, onChange, errorOf }: FieldsProps) {
  const isWrong = draft.amount !== '' && nanosOf(draft.amount) === undefined
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Amount in dollars"
          inputMode="decimal"
          autoComplete="off"
          value={draft.amount}
          onText={(amount) => onChange({ amount })}
          error={isWrong ? 'An amount in dollars, as 50 or 0.5.' : errorOf('limit')}
        />
        <SelectField
          label="For"
          value={draft.period}
          onPick={(period) => onChange({ period })}
          choices={PERIOD_CHOICES}
        />
      </div>
      <CheckField
        label="Only alerts"
        hint="Requests go on when it is used up."
        checked={draft.soft}
        onCheck={(soft) => onChange({ soft })}
      />
    </>
  )
}

/** What counts, and the zone of its days, folded. */
function CountingFields({ draft, onChange, errorOf }: FieldsProps) {
  const known = useId()
  return (
    <Fold title="What it counts, and whose days" isWrong={Boolean(errorOf('zone') ?? errorOf('counts'))}>
      <SelectField
        label="Counts"
        value={draft.counts}
        onPick={(counts) => onChange({ counts })}
        choices={COUNTS}
        error={errorOf('counts')}
      />
      {draft.period !== 'forever' && (
        <>
          <TextField
            label="Time zone"
            hint="In which its days, weeks and months begin. Empty: that of the gateway."
            autoComplete="off"
            list={known}
            placeholder="Europe/Berlin"
            value={draft.zone}
            onText={(zone) => onChange({ zone })}
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
  )
}

/** Zones that this browser knows, its own first. */
function zones(): readonly string[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

interface ConsequenceProps {
  readonly of: Budget | undefined
  readonly draft: BudgetDraft
  readonly limit: Nanos
}

/** Sentence about what saving would mean. */
function Consequence({ of, draft: { period, zone, soft }, limit }: ConsequenceProps) {
  const isSameWindow = of !== undefined && of.period === period && (zone.trim() === '' || of.zone === zone.trim())
  if (!isSameWindow) return <Note look="plain">{newSentence(limit, period, soft)}</Note>
  if (of.limit === limit && of.soft === soft) return null
  return <Note look="plain">{changeSentence(of, limit, soft)}</Note>
}

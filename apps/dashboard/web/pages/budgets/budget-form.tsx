import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BudgetItem } from '../../api/budgets.ts'
import { type BodyOf, callApi } from '../../api/call.ts'
import { PERIOD_CHOICES } from '../../budgets/periods.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { CheckField, SelectField, type SelectOption, TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Fold } from '../../components/form-fold.tsx'
import { Note } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { type Nanos, nanosOf, typedMoney } from '../../formats/money.ts'
import { LABELS } from '../../labels.ts'
import { type Scope, useOwners } from './owners.ts'
import { changeSentence, newSentence } from './sentences.ts'

const SCOPES: readonly { readonly value: Scope; readonly title: string }[] = [
  { value: 'organization', title: 'Organization' },
  { value: 'project', title: LABELS.project },
  { value: 'member', title: 'Member' },
  { value: 'key', title: LABELS.key },
]
const COUNTS: readonly { readonly value: BudgetItem['counts']; readonly title: string }[] = [
  { value: 'charged', title: LABELS.charged },
  { value: 'cost', title: LABELS.providerCost },
]

/** Budget as typed. Empty name and zone = the default. */
interface BudgetDraft extends Pick<BudgetItem, 'scope' | 'owner' | 'name' | 'period' | 'zone' | 'counts' | 'soft'> {
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
  /** Budget to change; undefined = a new one. */
  readonly of?: BudgetItem | undefined
  /** Called after the budget was saved. */
  onDone(id: string): void
  onCancel(): void
}

/** Form that creates or changes a budget. It shows the consequences before saving. */
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
        label={LABELS.name}
        autoComplete="off"
        placeholder="optional"
        value={draft.name}
        onText={(name) => change({ name })}
        error={errorOf('name')}
      />
      <AmountFields {...fields} />
      <CountingFields {...fields} />
      {limit !== undefined && <Consequence of={of} draft={draft} limit={limit} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={limit === undefined || owner === ''} isBusy={save.isPending}>
          {of ? 'Save changes' : 'Create budget'}
        </Button>
        <Button onClick={onCancel}>{LABELS.cancel}</Button>
      </div>
    </Form>
  )
}

type BudgetBody = NonNullable<BodyOf<'POST /budgets'>>

function bodyOf({ scope, name, period, zone, counts, soft }: BudgetDraft, owner: string, limit: Nanos): BudgetBody {
  return { scope, owner, limit, period, soft, counts, name: name.trim() || undefined, zone: zone.trim() || undefined }
}

function useSave(of: BudgetItem | undefined) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: BudgetBody) =>
      confirmed(() =>
        of
          ? callApi('PUT /budgets/{budget}', { params: { budget: of.id }, version: of.version, body })
          : callApi('POST /budgets', { body }),
      ),
    onSuccess: (_, { name }) => {
      const what = of ? `Budget ${name || of.name} changed` : 'Budget created'
      toast(`${what}. It applies within a second.`)
      return client.invalidateQueries({ queryKey: ['budgets'] })
    },
  })
}

interface BudgetFieldsProps {
  readonly draft: BudgetDraft
  onChange(change: Partial<BudgetDraft>): void
  errorOf(field: string): string | undefined
}

interface OwnerBudgetFieldsProps extends BudgetFieldsProps {
  /** Selected owner, or the first choice. */
  readonly owner: string
  readonly choices: readonly SelectOption[]
}

function OwnerFields({ draft, onChange, errorOf, owner, choices }: OwnerBudgetFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <SelectField label="Scope" value={draft.scope} onPick={(scope) => onChange({ scope })} choices={SCOPES} />
      <SelectField
        label={LABELS.owner}
        value={owner}
        onPick={(owner) => onChange({ owner })}
        choices={choices}
        error={choices.length === 0 ? 'There are no choices yet.' : errorOf('owner')}
      />
    </div>
  )
}

/** Limit, period and enforcement. */
function AmountFields({ draft, onChange, errorOf }: BudgetFieldsProps) {
  const isWrong = draft.amount !== '' && nanosOf(draft.amount) === undefined
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Limit in dollars"
          inputMode="decimal"
          autoComplete="off"
          value={draft.amount}
          onText={(amount) => onChange({ amount })}
          error={isWrong ? 'Enter an amount in dollars, such as 50 or 0.5.' : errorOf('limit')}
        />
        <SelectField
          label={LABELS.period}
          value={draft.period}
          onPick={(period) => onChange({ period })}
          choices={PERIOD_CHOICES}
        />
      </div>
      <CheckField
        label="Alert only"
        hint="Requests continue after the limit is reached."
        checked={draft.soft}
        onCheck={(soft) => onChange({ soft })}
      />
    </>
  )
}

/** Counting and time zone, collapsed. */
function CountingFields({ draft, onChange, errorOf }: BudgetFieldsProps) {
  return (
    <Fold title="Counting and time zone" isWrong={Boolean(errorOf('zone') ?? errorOf('counts'))}>
      <SelectField
        label="Count"
        value={draft.counts}
        onPick={(counts) => onChange({ counts })}
        choices={COUNTS}
        error={errorOf('counts')}
      />
      {draft.period !== 'forever' && (
        <Combobox
          label={LABELS.timeZone}
          hint="Days, weeks and months begin in this time zone."
          value={draft.zone}
          options={[{ value: '', title: "The gateway's" }, ...zones().map((one) => ({ value: one, title: one }))]}
          onChange={(zone) => onChange({ zone })}
          error={errorOf('zone')}
        />
      )}
    </Fold>
  )
}

/** Time zones that the browser supports, its own first. */
function zones(): readonly string[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

interface ConsequenceProps {
  readonly of: BudgetItem | undefined
  readonly draft: BudgetDraft
  readonly limit: Nanos
}

/** Sentence that describes the effect of saving. */
function Consequence({ of, draft: { period, zone, soft }, limit }: ConsequenceProps) {
  const isSameWindow = of !== undefined && of.period === period && (zone.trim() === '' || of.zone === zone.trim())
  if (!isSameWindow) return <Note look="plain">{newSentence(limit, period, soft)}</Note>
  if (of.limit === limit && of.soft === soft) return null
  return <Note look="plain">{changeSentence(of, limit, soft)}</Note>
}

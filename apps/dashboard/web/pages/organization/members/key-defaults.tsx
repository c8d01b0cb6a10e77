import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import { useMay } from '../../../api/me.ts'
import { type OrganizationDetails, organizationQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { Fact, Facts } from '../../../components/facts.tsx'
import { SelectField, TextField } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Section } from '../../../components/page.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { money, nanosOf, typedMoney } from '../../../formats/money.ts'
import { count, counted } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import { LIMIT_NAMES, type LimitErrors, limitDraftOf, limitsOf, wholeOf } from '../../../limits/limit-draft.ts'
import { LimitFields } from '../../../limits/limit-fields.tsx'

export type ShownDefaults = NonNullable<OrganizationDetails['keyDefaults']>
type DefaultsPeriod = NonNullable<ShownDefaults['budget']>['period']

const PERIODS = [
  { value: 'day', title: 'Day' },
  { value: 'week', title: 'Week' },
  { value: 'month', title: 'Month' },
  { value: 'forever', title: 'No reset' },
] as const

const MOST_DAYS = 3_660

/** Bounds of keys that members create. Only owners can change them. */
export function KeyDefaultsSection() {
  const mayWrite = useMay('organization.write') !== undefined
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery(organizationQuery)
  if (!data) return null
  return (
    <Section title="Defaults for members’ keys">
      <div className="flex flex-col items-start gap-3">
        {data.keyDefaults ? (
          <Shown of={data.keyDefaults} />
        ) : (
          <p className="text-muted">None. Keys that members create have no budget, no rate limits and no expiry.</p>
        )}
        {mayWrite && <Button onClick={() => setOpen(true)}>Change defaults</Button>}
      </div>
      {isOpen && <ChangeDefaults of={data} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function Shown({ of: { limits = {}, budget, days } }: { readonly of: ShownDefaults }) {
  const period = PERIODS.find(({ value }) => value === budget?.period)?.title
  return (
    <Facts>
      {LIMIT_NAMES.map((name) => {
        const limit = limits[name]
        return limit === undefined ? null : (
          <Fact key={name} name={LABELS[name]}>
            {count(limit)}
          </Fact>
        )
      })}
      {budget && (
        <Fact name={LABELS.budget}>
          {money(budget.limit)} ({period?.toLowerCase()})
        </Fact>
      )}
      {days !== undefined && <Fact name={LABELS.expires}>after {counted(days, 'day')}</Fact>}
    </Facts>
  )
}

interface DefaultsErrors extends LimitErrors {
  budget?: string
  days?: string
}

function ChangeDefaults({ of, onClose }: { readonly of: OrganizationDetails; onClose(): void }) {
  const client = useQueryClient()
  const { limits, budget, days } = of.keyDefaults ?? {}
  const [draft, setDraft] = useState(() => limitDraftOf(limits))
  const [amount, setAmount] = useState(budget ? typedMoney(budget.limit) : '')
  const [period, setPeriod] = useState<DefaultsPeriod>(budget?.period ?? 'month')
  const [typedDays, setDays] = useState(String(days ?? ''))
  const [errors, setErrors] = useState<DefaultsErrors>({})
  const save = useMutation({
    mutationFn: (keyDefaults: ShownDefaults) =>
      confirmed(() => callApi('PATCH /organization', { version: of.version, body: { keyDefaults } })),
    onSuccess: () => {
      toast('Defaults changed. They apply to new keys.')
      return client.invalidateQueries({ queryKey: ['organization'] })
    },
  })
  const submit = (): void => {
    const read = limitsOf(draft)
    const limit = amount.trim() === '' ? undefined : nanosOf(amount)
    const whole = typedDays.trim() === '' ? undefined : wholeOf(typedDays, MOST_DAYS)
    const found: DefaultsErrors = {
      ...('errors' in read && read.errors),
      ...(amount.trim() !== '' && limit === undefined && { budget: 'Enter an amount in dollars, such as 50 or 0.5.' }),
      ...(typedDays.trim() !== '' && whole === undefined && { days: `Enter whole days, at most ${MOST_DAYS}.` }),
    }
    setErrors(found)
    if (Object.keys(found).length > 0 || !('limits' in read)) return
    save.mutate(
      {
        limits: read.limits,
        ...(limit !== undefined && { budget: { limit, period } }),
        ...(whole !== undefined && { days: whole }),
      },
      { onSuccess: onClose },
    )
  }
  return (
    <FormDialog
      title="Defaults for members’ keys"
      lead="Apply to each key that a member creates from now on. Members cannot change them. Keys of owners and admins have no defaults."
      isPersistent
      action="Save defaults"
      request={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <LimitFields
        {...{ draft, errors }}
        onChange={(next) => setDraft((before) => ({ ...before, ...next }))}
        problem={save.error}
      />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        <TextField
          label="Budget in dollars"
          inputMode="decimal"
          autoComplete="off"
          placeholder={LABELS.unlimited}
          value={amount}
          onText={setAmount}
          error={errors.budget}
        />
        <SelectField label={LABELS.period} choices={PERIODS} value={period} onPick={setPeriod} />
        <TextField
          label="Expires in days"
          inputMode="numeric"
          autoComplete="off"
          placeholder={LABELS.never}
          value={typedDays}
          onText={setDays}
          error={errors.days}
        />
      </div>
    </FormDialog>
  )
}

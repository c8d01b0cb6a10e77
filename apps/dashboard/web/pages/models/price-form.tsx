import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { callApi } from '../../api/call.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Fold } from '../../components/form-fold.tsx'
import { Note, Skeleton } from '../../components/states.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { exactMoney, nanosOf } from '../../formats/money.ts'
import { LABELS } from '../../labels.ts'
import {
  draftOf,
  MEDIA_RATES,
  type PriceDraft,
  type PriceProblems,
  type RateName,
  type RatesBody,
  type RatesDraft,
  ratesOf,
  type TierDraft,
  USUAL_RATES,
} from './price-draft.ts'
import type { ModelPrice } from './price-table.tsx'

export interface PriceFormProps {
  /** Configured name of the provider. */
  readonly provider: string
  /** Provider's ID of the model. */
  readonly model: string
  /** Current price; undefined = none. */
  readonly of: ModelPrice | undefined
  onDone(): void
}

/** Form that sets the price of a model, or restores the price of its adapter. */
export function PriceForm({ provider, model, of, onDone }: PriceFormProps) {
  const client = useQueryClient()
  const own = useQuery({
    queryKey: ['prices', 'all'],
    queryFn: ({ signal }) => callApi('GET /prices', { signal, query: { limit: 1_000 } }),
  })
  const [draft, setDraft] = useState<PriceDraft>(() => draftOf(of))
  const [problems, setProblems] = useState<PriceProblems>({})
  const found = own.data?.items.find((one) => one.provider === provider && one.model === model)
  const after = async (): Promise<void> => {
    onDone()
    await Promise.all(['prices', 'models'].map((name) => client.invalidateQueries({ queryKey: [name] })))
  }
  const version = found?.validFrom
  const save = useMutation({
    mutationFn: (rates: RatesBody) =>
      confirmed(() => callApi('PUT /prices', { version, body: { provider, model, rates } })),
    onSuccess: after,
  })
  const remove = useMutation({
    mutationFn: () => confirmed(() => callApi('DELETE /prices', { version, query: { provider, model } })),
    onSuccess: after,
  })
  if (!own.data) return <Skeleton rows={4} />
  if (found?.source === 'config')
    return <Note look="plain">This price comes from `prices` in the configuration. Change it there.</Note>
  const submit = (): void => {
    const read = ratesOf(draft)
    setProblems('problems' in read ? read.problems : {})
    if ('rates' in read) save.mutate(read.rates)
  }
  return (
    <Form error={save.error ?? remove.error} onSubmit={submit}>
      <PriceFields draft={draft} problems={problems} onChange={(part) => setDraft({ ...draft, ...part })} />
      <Note look="plain">Applies to new requests.</Note>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={save.isPending}>
          Save price
        </Button>
        {found && (
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            Use the default price
          </Button>
        )}
        <Button onClick={onDone}>{LABELS.cancel}</Button>
      </div>
    </Form>
  )
}

interface PartProps {
  readonly draft: PriceDraft
  readonly problems: PriceProblems
  onChange(part: Partial<PriceDraft>): void
}

function PriceFields(props: PartProps) {
  const { draft, problems, onChange } = props
  const isWrong = (prefix: string): boolean => Object.keys(problems).some((field) => field.startsWith(prefix))
  const rates = { of: draft.rates, at: 'rates', problems, onChange: (next: RatesDraft) => onChange({ rates: next }) }
  return (
    <>
      <RateFields {...rates} names={USUAL_RATES} />
      <Fold title="Audio and images" isWrong={MEDIA_RATES.some(([name]) => `rates.${name}` in problems)}>
        <RateFields {...rates} names={MEDIA_RATES} />
      </Fold>
      <Fold title="Long requests" isWrong={'above' in problems || isWrong('long.')}>
        <TextField
          label="Above input tokens"
          hint="A longer input has these rates for all of its tokens. Empty: no difference."
          inputMode="numeric"
          autoComplete="off"
          value={draft.above}
          onText={(above) => onChange({ above })}
          error={problems['above']}
        />
        <RateFields
          of={draft.long}
          at="long"
          prefix="Long: "
          names={USUAL_RATES}
          problems={problems}
          onChange={(long) => onChange({ long })}
        />
      </Fold>
      <Fold title="Service tiers" isWrong={isWrong('tiers.')}>
        <Tiers {...props} />
      </Fold>
      <Fold title="Units and minimum" isWrong={isWrong('units.') || isWrong('least.') || 'minimum' in problems}>
        <Units {...props} />
        <Minimums {...props} />
        <TextField
          label="Minimum per request ($)"
          inputMode="decimal"
          autoComplete="off"
          value={draft.minimum}
          onText={(minimum) => onChange({ minimum })}
          error={problems['minimum']}
        />
      </Fold>
    </>
  )
}

interface RateFieldsProps {
  readonly of: RatesDraft
  /** Path of the rates in the problems. */
  readonly at: string
  readonly names: readonly (readonly [RateName, string])[]
  readonly problems: PriceProblems
  /** Text before the label of each field. */
  readonly prefix?: string | undefined
  onChange(rates: RatesDraft): void
}

function RateFields({ of, at, names, problems, prefix = '', onChange }: RateFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      {names.map(([name, title]) => (
        <TextField
          key={name}
          label={`${prefix}${title} ($/M)`}
          inputMode="decimal"
          autoComplete="off"
          value={of[name] ?? ''}
          onText={(typed) => onChange({ ...of, [name]: typed })}
          error={problems[`${at}.${name}`]}
        />
      ))}
    </div>
  )
}

const UNITS = ['searches', 'images', 'seconds', 'milliseconds', 'characters', 'pixels', 'pages'].map((value) => ({
  value,
  title: value,
}))
const TIERS = ['flex', 'priority', 'batch'].map((value) => ({ value, title: value }))
const TIER_KINDS = [
  { value: 'factor', title: 'Factor' },
  { value: 'rates', title: 'Rates' },
] as const

function Units({ draft: { units }, problems, onChange }: PartProps) {
  const change = (index: number, part: Partial<PriceDraft['units'][number]>): void =>
    onChange({ units: units.map((unit, at) => (at === index ? { ...unit, ...part } : unit)) })
  return (
    <>
      {units.map(({ name, variant, amount }, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: Rows have no identity but their place.
          key={index}
          label={`Remove unit ${name}`}
          onRemove={() => onChange({ units: units.filter((_, at) => at !== index) })}
        >
          <Combobox
            label="Unit"
            options={UNITS}
            allowsOther
            value={name}
            onChange={(next) => change(index, { name: next })}
            error={problems[`units.${index}.name`]}
          />
          <TextField
            label="Variant"
            placeholder="any"
            autoComplete="off"
            value={variant}
            onText={(next) => change(index, { variant: next })}
          />
          <TextField
            label="Price per million ($)"
            hint={eachHint(amount)}
            inputMode="decimal"
            autoComplete="off"
            value={amount}
            onText={(next) => change(index, { amount: next })}
            error={problems[`units.${index}.amount`]}
          />
        </Row>
      ))}
      <AddButton onClick={() => onChange({ units: [...units, { name: '', variant: '', amount: '' }] })}>
        Add unit
      </AddButton>
    </>
  )
}

/** Price of one unit, for comparison with price lists: `$0.04 each`. */
function eachHint(amount: string): string | undefined {
  const each = BigInt(nanosOf(amount) ?? 0) / 1_000_000n
  return each === 0n ? undefined : `${exactMoney(each)} each`
}

function Minimums({ draft: { least }, problems, onChange }: PartProps) {
  const change = (index: number, part: Partial<PriceDraft['least'][number]>): void =>
    onChange({ least: least.map((one, at) => (at === index ? { ...one, ...part } : one)) })
  return (
    <>
      {least.map(({ name, count }, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: Rows have no identity but their place.
          key={index}
          label={`Remove minimum count of ${name}`}
          onRemove={() => onChange({ least: least.filter((_, at) => at !== index) })}
        >
          <Combobox
            label="Counted unit"
            options={UNITS}
            allowsOther
            value={name}
            onChange={(next) => change(index, { name: next })}
            error={problems[`least.${index}.name`]}
          />
          <TextField
            label="Minimum count"
            inputMode="numeric"
            autoComplete="off"
            value={count}
            onText={(next) => change(index, { count: next })}
            error={problems[`least.${index}.count`]}
          />
        </Row>
      ))}
      <AddButton onClick={() => onChange({ least: [...least, { name: '', count: '' }] })}>Add minimum count</AddButton>
    </>
  )
}

const NEW_TIER: TierDraft = { name: '', kind: 'factor', factor: '', rates: {} }

function Tiers({ draft: { tiers }, problems, onChange }: PartProps) {
  const change = (index: number, part: Partial<TierDraft>): void =>
    onChange({ tiers: tiers.map((tier, at) => (at === index ? { ...tier, ...part } : tier)) })
  return (
    <>
      {tiers.map(({ name, kind, factor, rates }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Rows have no identity but their place.
        <div key={index} className="flex flex-col gap-2">
          <Row
            label={`Remove tier ${name}`}
            onRemove={() => onChange({ tiers: tiers.filter((_, at) => at !== index) })}
          >
            <Combobox
              label="Tier"
              options={TIERS}
              allowsOther
              value={name}
              onChange={(next) => change(index, { name: next })}
              error={problems[`tiers.${index}.name`]}
            />
            <SelectField
              label="Priced by"
              choices={TIER_KINDS}
              value={kind}
              onPick={(next) => change(index, { kind: next })}
            />
            {kind === 'factor' && (
              <TextField
                label="Factor"
                inputMode="decimal"
                autoComplete="off"
                value={factor}
                onText={(next) => change(index, { factor: next })}
                error={problems[`tiers.${index}.factor`]}
              />
            )}
          </Row>
          {kind === 'rates' && (
            <RateFields
              of={rates}
              at={`tiers.${index}.rates`}
              names={USUAL_RATES}
              prefix={`${name === '' ? 'Tier' : name}: `}
              problems={problems}
              onChange={(next) => change(index, { rates: next })}
            />
          )}
        </div>
      ))}
      <AddButton onClick={() => onChange({ tiers: [...tiers, NEW_TIER] })}>Add tier</AddButton>
    </>
  )
}

interface RowProps {
  readonly label: string
  onRemove(): void
  readonly children: ReactNode
}

/** Fields of one entry of a list, with a button that removes it. */
function Row({ label, onRemove, children }: RowProps) {
  return (
    <div className="flex items-end gap-2">
      <div className="grid min-w-0 flex-1 auto-cols-fr grid-flow-col gap-2">{children}</div>
      <IconButton label={label} onClick={onRemove}>
        <X aria-hidden size={14} />
      </IconButton>
    </div>
  )
}

function AddButton({ onClick, children }: { onClick(): void; readonly children: ReactNode }) {
  return (
    <div>
      <Button look="quiet" onClick={onClick}>
        <Plus aria-hidden size={14} /> {children}
      </Button>
    </div>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Note, Skeleton } from '../../components/states.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { nanosOf, typedMoney } from '../../formats/money.ts'
import { LABELS } from '../../labels.ts'
import type { ModelPrice } from './price-table.tsx'

const FIELDS = [
  ['input', LABELS.input],
  ['output', LABELS.output],
  ['cacheRead', LABELS.cacheRead],
  ['cacheWrite', LABELS.cacheWrite],
] as const

type Name = (typeof FIELDS)[number][0]
export type Typed = Readonly<Record<Name, string>>

/** Rates of the typed amounts; undefined = an amount is not valid, or input or output is missing. */
export function ratesOf(typed: Typed): Partial<Record<Name, number>> | undefined {
  const rates: Partial<Record<Name, number>> = {}
  for (const [name] of FIELDS) {
    if (typed[name].trim() === '') continue
    const nanos = nanosOf(typed[name])
    if (nanos === undefined || !Number.isSafeInteger(Number(nanos))) return undefined
    rates[name] = Number(nanos)
  }
  return rates.input === undefined || rates.output === undefined ? undefined : rates
}

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
  const [typed, setTyped] = useState<Typed>({
    input: shown(of?.input),
    output: shown(of?.output),
    cacheRead: shown(of?.cacheRead),
    cacheWrite: shown(of?.cacheWrite),
  })
  const found = own.data?.items.find((one) => one.provider === provider && one.model === model)
  const after = async (): Promise<void> => {
    onDone()
    await Promise.all(['prices', 'models'].map((name) => client.invalidateQueries({ queryKey: [name] })))
  }
  const version = found?.validFrom
  const save = useMutation({
    mutationFn: (rates: Partial<Record<Name, number>>) => {
      const { id: _, ...kept } = { id: '', input: 0, output: 0, ...of, ...rates }
      return confirmed(() => callApi('PUT /prices', { version, body: { provider, model, rates: kept } }))
    },
    onSuccess: after,
  })
  const remove = useMutation({
    mutationFn: () => confirmed(() => callApi('DELETE /prices', { version, query: { provider, model } })),
    onSuccess: after,
  })
  if (!own.data) return <Skeleton rows={4} />
  if (found?.source === 'config')
    return <Note look="plain">This price comes from `prices` in the configuration. Change it there.</Note>
  const rates = ratesOf(typed)
  return (
    <Form error={save.error ?? remove.error} onSubmit={() => rates && save.mutate(rates)}>
      <div className="grid grid-cols-2 gap-3">
        {FIELDS.map(([name, title]) => (
          <TextField
            key={name}
            label={`${title} ($/M)`}
            inputMode="decimal"
            autoComplete="off"
            value={typed[name]}
            onText={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </div>
      <Note look="plain">
        Applies to new requests. Prices for long requests, service tiers and units do not change.
      </Note>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={!rates} isBusy={save.isPending}>
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

function shown(nanos: number | undefined): string {
  return nanos === undefined ? '' : typedMoney(String(nanos))
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import type { Server } from '../../api/models.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Note, Skeleton } from '../../components/states.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { nanosOf, typedMoney } from '../../formats/money.ts'

type Price = NonNullable<Server['price']>

const FIELDS = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cacheRead', 'Read from a cache'],
  ['cacheWrite', 'Written to a cache'],
] as const

type Name = (typeof FIELDS)[number][0]
export type Typed = Readonly<Record<Name, string>>

/** What was typed, as rates; undefined where something is no amount, or input or output is missing. */
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
  /** Name of the instance. */
  readonly provider: string
  /** The provider's own name of the model. */
  readonly model: string
  /** What it costs now. */
  readonly of: Price | undefined
  onDone(): void
}

/** Says what a model costs from now on, or has what its adapter knows hold again. */
export function PriceForm({ provider, model, of, onDone }: PriceFormProps) {
  const client = useQueryClient()
  const own = useQuery({
    queryKey: ['prices', 'all'],
    queryFn: ({ signal }) => ask('GET /prices', { signal, query: { limit: 1_000 } }),
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
      return confirmed(() => ask('PUT /prices', { version, body: { provider, model, rates: kept } }))
    },
    onSuccess: after,
  })
  const remove = useMutation({
    mutationFn: () => confirmed(() => ask('DELETE /prices', { version, query: { provider, model } })),
    onSuccess: after,
  })
  if (!own.data) return <Skeleton rows={4} />
  if (found?.source === 'config')
    return <Note look="plain">The configuration says what it costs, under `prices`: change it there.</Note>
  const rates = ratesOf(typed)
  return (
    <Form error={save.error ?? remove.error} onSubmit={() => rates && save.mutate(rates)}>
      <div className="grid grid-cols-2 gap-3">
        {FIELDS.map(([name, title]) => (
          <TextField
            key={name}
            label={`${title}, dollars per M`}
            inputMode="decimal"
            autoComplete="off"
            value={typed[name]}
            onText={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </div>
      <Note look="plain">
        It holds for requests from now on. What else it charges for (long requests, tiers of service, units) stays as it
        is.
      </Note>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={!rates} isBusy={save.isPending}>
          Set the price
        </Button>
        {found && (
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            Take what the adapter knows
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </Form>
  )
}

function shown(nanos: number | undefined): string {
  return nanos === undefined ? '' : typedMoney(String(nanos))
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, ask } from '../../api/ask.ts'
import { useMay } from '../../api/me.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Section } from '../../components/page.tsx'
import { Failed } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { FullTime, Money } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { money } from '../../formats/money.ts'

type Life = AnswerOf<'GET /budgets/doubts'>['items'][number]
type End = 'spent' | 'free'

/** What processes hold that have not been heard of: booked as spent, or freed. */
export function Doubts() {
  const mayWrite = useMay('budgets.write') !== undefined
  const [ending, setEnding] = useState<{ readonly life: Life; readonly how: End }>()
  const { data, error, refetch } = useQuery({
    queryKey: ['budgets', 'doubts'],
    queryFn: ({ signal }) => ask('GET /budgets/doubts', { signal }),
  })
  if (error && !data)
    // It is the whole gateway's: other organizations have no such part of the page.
    return problemOf(error).status === 403 ? null : <Failed error={error} retry={() => void refetch()} />
  if (!data || data.items.length === 0) return null
  return (
    <Section title="In doubt">
      <ul className="flex flex-col divide-y divide-line">
        {data.items.map((life) => (
          <li key={life.life} className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
            <div className="max-w-prose">
              <p>
                Outcome unknown: <strong className="wrap-anywhere">{life.node}</strong> has not been heard of since{' '}
                <FullTime at={life.since} />.{' '}
                {life.isOver ? 'It is over.' : 'It may only be cut off from the store, and go on with what it has.'}
              </p>
              <ul className="mt-1 text-muted">
                {life.leases.map((lease) => (
                  <li key={`${lease.budget} ${lease.window}`}>
                    <Money nanos={heldOf(lease)} /> of {lease.name} is held
                    {lease.endsAt !== undefined && (
                      <>
                        , until <FullTime at={lease.endsAt} /> at most
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </div>
            {mayWrite && (
              <span className="flex gap-2">
                <Button onClick={() => setEnding({ life, how: 'spent' })}>Book as spent</Button>
                <Button look="danger" onClick={() => setEnding({ life, how: 'free' })}>
                  Free
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {ending && <EndDoubt {...ending} onClose={() => setEnding(undefined)} />}
    </Section>
  )
}

interface EndDoubtProps {
  readonly life: Life
  readonly how: End
  onClose(): void
}

function EndDoubt({ life: { life, node, leases, isOver }, how, onClose }: EndDoubtProps) {
  const client = useQueryClient()
  const held = money(heldBy(leases))
  const end = useMutation({
    mutationFn: () => confirmed(() => ask('POST /budgets/doubts/{life}', { params: { life }, body: { end: how } })),
    onSuccess: ({ isEnded }) => {
      toast(
        !isEnded
          ? 'Somebody has decided it before.'
          : how === 'spent'
            ? `${held} is booked as spent.`
            : `${held} is free again.`,
      )
      return client.invalidateQueries({ queryKey: ['budgets'] })
    },
  })
  return (
    <FormDialog
      title={how === 'spent' ? `Book ${held} as spent` : `Free ${held}`}
      lead={
        <>
          {how === 'spent'
            ? 'It counts as spent, with a row of usage that says its outcome is unknown. That is always safe.'
            : 'It may be spent once more. Free it where you know that nothing of it was: what was spent after all is counted nowhere.'}
          {!isOver && ` Stop ${node} first, if it still runs.`} This cannot be undone.
        </>
      }
      action={how === 'spent' ? 'Book as spent' : 'Free'}
      isDanger={how === 'free'}
      request={end}
      onSubmit={() => end.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

interface Lease {
  readonly granted: string
  readonly used: string
}

/**
 * What of a lease nobody knows to be spent, in nano-dollars. One that has used more than it was granted holds nothing.
 */
export function heldOf({ granted, used }: Lease): bigint {
  const left = BigInt(granted) - BigInt(used)
  return left > 0n ? left : 0n
}

export function heldBy(leases: readonly Lease[]): bigint {
  return leases.reduce((sum, lease) => sum + heldOf(lease), 0n)
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
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
import { type OrphanedLeases, orphanedLeasesQuery } from './queries.ts'

type ProcessRun = OrphanedLeases['items'][number]
type LeaseEnd = 'spent' | 'free'

/** Leases of processes that have stopped reporting, to be marked as spent or released. */
export function OrphanedLeaseList() {
  const mayWrite = useMay('budgets.write') !== undefined
  const [ending, setEnding] = useState<{ readonly run: ProcessRun; readonly how: LeaseEnd }>()
  const { data, error, refetch } = useQuery(orphanedLeasesQuery)
  if (error && !data)
    // Only the organization that runs the gateway has this section.
    return problemOf(error).status === 403 ? null : <Failed error={error} retry={() => void refetch()} />
  if (!data || data.items.length === 0) return null
  return (
    <Section title="Unresolved holds">
      <ul className="flex flex-col divide-y divide-line">
        {data.items.map((run) => (
          <li key={run.run} className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
            <div className="max-w-prose">
              <p>
                <strong className="wrap-anywhere">{run.node}</strong> last reported <FullTime at={run.since} />.{' '}
                {run.isOver
                  ? 'The process has ended.'
                  : 'It may have lost its connection to the store and still serve requests.'}
              </p>
              <ul className="mt-1 text-muted">
                {run.leases.map((lease) => (
                  <li key={`${lease.budget} ${lease.window}`}>
                    <Money nanos={heldOf(lease)} /> of {lease.name} held
                    {lease.endsAt !== undefined && (
                      <>
                        , at most until <FullTime at={lease.endsAt} />
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </div>
            {mayWrite && (
              <span className="flex gap-2">
                <Button onClick={() => setEnding({ run, how: 'spent' })}>Mark as spent</Button>
                <Button look="danger" onClick={() => setEnding({ run, how: 'free' })}>
                  Release
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {ending && <EndLeases {...ending} onClose={() => setEnding(undefined)} />}
    </Section>
  )
}

interface EndLeasesProps {
  readonly run: ProcessRun
  readonly how: LeaseEnd
  onClose(): void
}

function EndLeases({ run: { run, node, leases, isOver }, how, onClose }: EndLeasesProps) {
  const client = useQueryClient()
  const held = money(heldBy(leases))
  const end = useMutation({
    mutationFn: () =>
      confirmed(() => callApi('POST /budgets/orphaned-leases/{run}', { params: { run }, body: { end: how } })),
    onSuccess: ({ isEnded }) => {
      toast(
        !isEnded
          ? 'Another user has already resolved this hold.'
          : how === 'spent'
            ? `${held} marked as spent.`
            : `${held} released.`,
      )
      return client.invalidateQueries({ queryKey: ['budgets'] })
    },
  })
  return (
    <FormDialog
      title={how === 'spent' ? `Mark ${held} as spent` : `Release ${held}`}
      lead={
        <>
          {how === 'spent'
            ? 'The amount counts as spent, with a usage row of unknown outcome. This is always safe.'
            : 'The amount can be spent again. Release it only if the process spent none of it; otherwise that spending is not counted.'}
          {!isOver && ` Stop ${node} first if it still runs.`} This cannot be undone.
        </>
      }
      action={how === 'spent' ? 'Mark as spent' : 'Release'}
      isDanger={how === 'free'}
      request={end}
      onSubmit={() => end.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

interface LeaseAmounts {
  readonly granted: string
  readonly used: string
}

/** Unspent amount of a lease in nano-dollars; 0 if more was used than granted. */
export function heldOf({ granted, used }: LeaseAmounts): bigint {
  const left = BigInt(granted) - BigInt(used)
  return left > 0n ? left : 0n
}

export function heldBy(leases: readonly LeaseAmounts[]): bigint {
  return leases.reduce((sum, lease) => sum + heldOf(lease), 0n)
}

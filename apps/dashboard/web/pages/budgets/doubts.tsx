import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { useMay } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { Section } from '../../components/page.tsx'
import { toastProblem } from '../../components/toasts.tsx'
import { FullTime, Money } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { sumOf } from '../../formats/money.ts'

/** What processes hold that have not been heard of: booked as spent, or freed. */
export function Doubts() {
  const client = useQueryClient()
  const mayWrite = useMay('budgets.write') !== undefined
  const { data } = useQuery({
    queryKey: ['budgets', 'doubts'],
    queryFn: ({ signal }) => ask('GET /budgets/doubts', { signal }),
    retry: false,
  })
  const end = useMutation({
    mutationFn: ({ life, how }: { life: string; how: 'spent' | 'free' }) =>
      confirmed(() => ask('POST /budgets/doubts/{life}', { params: { life }, body: { end: how } })),
    onError: toastProblem,
    onSuccess: () => client.invalidateQueries({ queryKey: ['budgets'] }),
  })
  // What fails here is no part of the page for who has nothing to decide.
  if (!data || data.items.length === 0) return null
  return (
    <Section title="In doubt">
      <ul className="flex flex-col gap-4">
        {data.items.map(({ life, node, since, leases }) => (
          <li key={life} className="flex flex-wrap items-center justify-between gap-3">
            <p className="max-w-prose">
              Outcome unknown: <strong>{node}</strong> has not been heard of since <FullTime at={since} />.{' '}
              <Money nanos={sumOf(leases.map(({ granted }) => granted)) - sumOf(leases.map(({ used }) => used))} /> is held until you book
              or free it. Booking is always safe; free it where you know that nothing was sent.
            </p>
            {mayWrite && (
              <span className="flex gap-2">
                <Button isBusy={end.isPending} onClick={() => end.mutate({ life, how: 'spent' })}>
                  Book as spent
                </Button>
                <Button look="danger" isBusy={end.isPending} onClick={() => end.mutate({ life, how: 'free' })}>
                  Free
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

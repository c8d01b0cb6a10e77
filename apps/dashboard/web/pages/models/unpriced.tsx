import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { callApi } from '../../api/call.ts'
import { Button } from '../../components/button.tsx'
import { Failed } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { FullTime } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { counted } from '../../formats/numbers.ts'

export interface UnpricedProps {
  /** Configured name of the provider. */
  readonly provider: string
  /** Provider's ID of the model. */
  readonly model: string
}

/** Requests that had no price, with a button that gives them the current price. Nothing is shown without any. */
export function UnpricedRequests({ provider, model }: UnpricedProps) {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['prices', 'unpriced', provider, model],
    queryFn: ({ signal }) => callApi('GET /prices/unpriced', { signal, query: { provider, model } }),
  })
  const apply = useMutation({
    mutationFn: () => confirmed(() => callApi('POST /prices/reprice', { body: { provider, model } })),
    onSuccess: async ({ requests }) => {
      toast(`${counted(requests, 'request')} priced.`)
      await Promise.all(['prices', 'usage'].map((name) => client.invalidateQueries({ queryKey: [name] })))
    },
  })
  if (!data || data.requests === 0) return null
  const { requests, since } = data
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <p>
        {counted(requests, 'request')}
        {since !== undefined && (
          <>
            {' '}
            since <FullTime at={since} />
          </>
        )}{' '}
        had no price. Their cost is in no total.
      </p>
      <Button onClick={() => apply.mutate()} isBusy={apply.isPending}>
        Price {requests === 1 ? 'it' : `these ${requests}`} now
      </Button>
      <p className="text-small text-muted">At the current price. Budgets do not count them.</p>
      {apply.error && <Failed error={apply.error} />}
    </div>
  )
}

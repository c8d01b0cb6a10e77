import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import { callApi } from '../../api/call.ts'
import { Button } from '../../components/button.tsx'
import { Empty, Failed, Note, Refreshing, Skeleton } from '../../components/states.tsx'
import { FullTime } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'

const LOOKS = {
  wrong: { icon: CircleAlert, word: 'Problem', className: 'text-bad' },
  note: { icon: Info, word: 'Note', className: 'text-warn' },
  ok: { icon: CircleCheck, word: 'OK', className: 'text-good' },
} as const
const ORDER = ['wrong', 'note', 'ok'] as const

/** Results of `headgate doctor`. It runs on demand, because it requests the model list of each provider. */
export function Doctor() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => callApi('GET /doctor', { signal }),
    enabled: false,
    retry: false,
  })
  const run = (): void => void refetch()
  const items = data?.items ?? []
  const wrong = items.filter(({ state }) => state === 'wrong').length
  return (
    <div className="flex flex-col gap-3">
      <Refreshing isBusy={isFetching} />
      {!data && !isFetching && !error && (
        <Empty
          title="Check the gateway"
          command="headgate doctor"
          action={
            <Button look="primary" onClick={run}>
              Run checks
            </Button>
          }
        >
          <p>Checks the configuration, data, store, secret, clock and the model list of each provider.</p>
        </Empty>
      )}
      {error && !isFetching && <Failed error={error} retry={run} />}
      {!data && isFetching && <Skeleton rows={8} />}
      {data && (
        <>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <Note look={wrong > 0 ? 'bad' : 'good'}>
              {wrong > 0 ? `${counted(wrong, 'problem')} found.` : 'No problems found.'}
            </Note>
            <p className="flex items-center gap-2 text-small text-muted">
              <FullTime at={dataUpdatedAt} />
              <Button onClick={run} isBusy={isFetching}>
                Run again
              </Button>
            </p>
          </div>
          <ul className="divide-y divide-line rounded-panel border border-line">
            {ORDER.flatMap((state) => items.filter((one) => one.state === state)).map(
              ({ state, about, text, advice }) => {
                const { icon: Icon, word, className } = LOOKS[state]
                return (
                  <li key={`${about} ${text}`} className="flex gap-3 px-4 py-3">
                    <Icon aria-label={word} role="img" size={16} className={`mt-0.5 shrink-0 ${className}`} />
                    <div className="min-w-0 wrap-anywhere">
                      <p>
                        <span className="font-medium">{about}</span>: {text}
                      </p>
                      {advice !== undefined && <p className="text-muted">{advice}</p>}
                    </div>
                  </li>
                )
              },
            )}
          </ul>
        </>
      )}
    </div>
  )
}

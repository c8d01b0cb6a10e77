import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { Empty, Failed, Note, Refreshing, Skeleton } from '../../components/states.tsx'
import { FullTime } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'

const LOOKS = {
  wrong: { icon: CircleAlert, word: 'Wrong', className: 'text-bad' },
  note: { icon: Info, word: 'To know', className: 'text-warn' },
  ok: { icon: CircleCheck, word: 'In order', className: 'text-good' },
} as const
const ORDER = ['wrong', 'note', 'ok'] as const

/** What `headgate doctor` finds. It asks every provider for its list of models, so it is run when somebody wants it. */
export function Doctor() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => ask('GET /doctor', { signal }),
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
          title="Is everything in order?"
          command="headgate doctor"
          action={
            <Button look="primary" onClick={run}>
              Look now
            </Button>
          }
        >
          <p>Configuration, data, store, secret, clock, and every provider, which is asked for its list of models.</p>
        </Empty>
      )}
      {error && !isFetching && <Failed error={error} retry={run} />}
      {!data && isFetching && <Skeleton rows={8} />}
      {data && (
        <>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <Note look={wrong > 0 ? 'bad' : 'good'}>
              {wrong > 0 ? `${counted(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.` : 'Nothing is wrong.'}
            </Note>
            <p className="flex items-center gap-2 text-small text-muted">
              <FullTime at={dataUpdatedAt} />
              <Button onClick={run} isBusy={isFetching}>
                Look again
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

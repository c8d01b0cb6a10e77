import { useMutation, useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { useMay } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded, Note } from '../../components/states.tsx'
import { toast, toastProblem } from '../../components/toasts.tsx'
import { Money, Time } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { count } from '../../formats/numbers.ts'

/** Most that are shown. */
const MOST = 20

/** What was said of budgets, and whether it arrived. */
export function Alerts() {
  const mayWrite = useMay('budgets.write') !== undefined
  const query = useQuery({
    queryKey: ['alerts'],
    queryFn: ({ signal }) => ask('GET /alerts', { signal }),
  })
  const test = useMutation({
    mutationFn: () => confirmed(() => ask('POST /alerts/test')),
    onError: toastProblem,
    onSuccess: () => toast('The test alert was sent.'),
  })
  return (
    <Section
      title="Alerts"
      actions={
        mayWrite && (
          <Button isBusy={test.isPending} onClick={() => test.mutate()}>
            Send a test alert
          </Button>
        )
      }
    >
      {query.data?.hasDestination === false && (
        <div className="mb-2">
          <Note>
            No destination is configured: alerts are written to the log only. Set <code>budgets.alerts.url</code> in the
            configuration.
          </Note>
        </div>
      )}
      <Loaded query={query} rows={1}>
        {(data) =>
          data.items.length === 0 ? (
            <p className="text-muted">No budget has come near its end yet.</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {data.items
                .slice(0, MOST)
                .map(({ id, budget, percent, spent, limit, at, deliveredAt, nextAt, tries }) => (
                  <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-1.5">
                    <span className="min-w-0 wrap-anywhere">
                      {budget.name}: {percent}% · <Money nanos={spent} /> of <Money nanos={limit} />
                    </span>
                    <span className="flex items-center gap-2 text-muted">
                      <Time at={at} />
                      <DeliveryChip {...{ deliveredAt, nextAt, tries }} />
                    </span>
                  </li>
                ))}
              {data.items.length > MOST && (
                <li className="py-1.5 text-muted">
                  The last {MOST} of {count(data.items.length)}.
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

interface Delivery {
  readonly deliveredAt: number | undefined
  /** Time of the next attempt; undefined if there is none. */
  readonly nextAt: number | undefined
  readonly tries: number
}

/** Whether an alert reached its destination. */
export function DeliveryChip({ deliveredAt, nextAt, tries }: Delivery) {
  if (deliveredAt !== undefined) return <Chip tone="good">delivered</Chip>
  if (nextAt !== undefined)
    return <Chip tone="warn">{tries === 0 ? 'not sent yet' : `not delivered yet, tried ${tries}×`}</Chip>
  // The program takes an alert without a destination once; it gives up others after many attempts.
  return <Chip tone="warn">{tries <= 1 ? 'not sent: no destination' : `not delivered, tried ${tries}×`}</Chip>
}

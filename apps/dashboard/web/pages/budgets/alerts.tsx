import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callApi } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded, Note } from '../../components/states.tsx'
import { toast, toastProblem } from '../../components/toasts.tsx'
import { Money, Time } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { count, counted } from '../../formats/numbers.ts'
import { alertsQuery } from './queries.ts'

/** Maximum number of alerts in the list. */
const MAX_ALERTS = 20

/** Budget alerts and their delivery. */
export function Alerts() {
  const mayWrite = useMay('budgets.write') !== undefined
  const query = useQuery(alertsQuery)
  const test = useMutation({
    mutationFn: () => confirmed(() => callApi('POST /alerts/test')),
    onError: toastProblem,
    onSuccess: () => toast('The test alert was sent.'),
  })
  return (
    <Section
      title="Alerts"
      actions={
        mayWrite && (
          <Button isBusy={test.isPending} onClick={() => test.mutate()}>
            Send test alert
          </Button>
        )
      }
    >
      {query.data?.hasDestination === false && (
        <div className="mb-2">
          <Note>
            No destination receives alerts, so they are only logged.{' '}
            <Link to="/organization" search={{ tab: 'alerts' }}>
              Add a destination
            </Link>{' '}
            or set <code>budgets.alerts.url</code> in the configuration.
          </Note>
        </div>
      )}
      <Loaded query={query} rows={1}>
        {(data) =>
          data.items.length === 0 ? (
            <p className="text-muted">No alerts yet.</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {data.items
                .slice(0, MAX_ALERTS)
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
              {data.items.length > MAX_ALERTS && (
                <li className="py-1.5 text-muted">
                  Latest {MAX_ALERTS} of {count(data.items.length)}.
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
  /** Time of the next attempt; undefined = no further attempts. */
  readonly nextAt: number | undefined
  readonly tries: number
}

/** Delivery state of an alert. */
export function DeliveryChip({ deliveredAt, nextAt, tries }: Delivery) {
  if (deliveredAt !== undefined) return <Chip tone="good">delivered</Chip>
  if (nextAt !== undefined)
    return <Chip tone="warn">{tries === 0 ? 'not sent yet' : `retrying, ${counted(tries, 'attempt')}`}</Chip>
  // Without an alert URL there is one attempt; a destination that fails gets many.
  return (
    <Chip tone="warn">{tries <= 1 ? 'not sent: no destination' : `failed after ${counted(tries, 'attempt')}`}</Chip>
  )
}

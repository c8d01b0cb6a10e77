import type { RequestAttempt, RequestDetails } from '../../api/usage.ts'
import { Chip } from '../../components/chip.tsx'
import { Part } from '../../components/page.tsx'

type RoutedEndpoint = NonNullable<RequestDetails['routing']>['considered'][number]

/** Endpoints that were considered for a request, in order, with the reason of each. */
export function Routing({ row: { routing, attempts = [] } }: { readonly row: RequestDetails }) {
  if (!routing) return null
  const { policy, considered } = routing
  return (
    <Part title="Routing">
      <p className="mb-2 text-muted">
        {considered.length} endpoints by the policy <code>{policy}</code>, best first.
      </p>
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        {considered.map((one) => (
          <li key={JSON.stringify([one.provider, one.endpoint, one.model])}>
            <p className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-semibold">{one.provider}</span>
              {one.endpoint !== undefined && <span>{one.endpoint}</span>}
              <span className="wrap-anywhere text-muted">{one.model}</span>
              <OutcomeOf attempt={attemptAt(attempts, one)} />
            </p>
            <p className="wrap-anywhere text-small text-muted">{one.why}</p>
          </li>
        ))}
      </ol>
    </Part>
  )
}

function OutcomeOf({ attempt }: { readonly attempt: RequestAttempt | undefined }) {
  if (!attempt) return null
  return attempt.failure === null ? <Chip tone="good">served</Chip> : <Chip tone="bad">failed</Chip>
}

/** Last attempt at an endpoint; undefined if it was not called. */
export function attemptAt(
  attempts: readonly RequestAttempt[],
  { provider, endpoint, model }: RoutedEndpoint,
): RequestAttempt | undefined {
  return attempts.findLast(
    (one) => one.provider === provider && one.endpoint === (endpoint ?? null) && one.model === model,
  )
}

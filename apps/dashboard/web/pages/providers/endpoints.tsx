import { Chip } from '../../components/chip.tsx'
import { Meter } from '../../components/meter.tsx'
import { Time } from '../../components/values.tsx'
import { LABELS } from '../../labels.ts'
import { failedShare, healthText, limitText, type ProviderEndpoint, troubleText } from './providers.ts'
import { ProviderState } from './state-chip.tsx'

export interface EndpointsProps {
  readonly of: readonly ProviderEndpoint[]
  readonly now: number
  /** Maximum number of endpoints. Default: all. */
  readonly most?: number
}

/** Endpoints with their health over 15 minutes. */
export function Endpoints({ of, now, most = of.length }: EndpointsProps) {
  const rest = of.length - most
  return (
    <ul className="flex flex-col gap-2">
      {of.slice(0, most).map((endpoint) => (
        <li key={endpoint.name ?? ''}>
          <EndpointHealth of={endpoint} now={now} />
        </li>
      ))}
      {rest > 0 && <li className="text-small text-muted">and {rest} more</li>}
    </ul>
  )
}

/** Endpoints with their health, labels, upstream limits and last errors. */
export function EndpointDetails({ of, now }: Omit<EndpointsProps, 'most'>) {
  return (
    <ul className="flex flex-col gap-4">
      {of.map((endpoint) => (
        <li key={endpoint.name ?? ''}>
          <EndpointHealth of={endpoint} now={now} />
          <EndpointLabels of={endpoint} />
          <EndpointLimits of={endpoint} now={now} />
          {of.length > 1 && endpoint.lastError && (
            <p className="mt-1 text-small wrap-anywhere text-bad">
              <Time at={endpoint.lastError.at} />: {troubleText(endpoint.lastError)}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

interface EndpointProps {
  readonly of: ProviderEndpoint
  readonly now: number
}

/** Name and state of an endpoint, with a bar of its failed calls. */
function EndpointHealth({ of, now }: EndpointProps) {
  const { name, state } = of
  const text = healthText(of)
  const failed = failedShare(of)
  return (
    <>
      {name !== undefined && (
        <p className="flex flex-wrap items-center justify-between gap-2">
          <span className="truncate font-medium">{name}</span>
          {state !== 'healthy' && state !== 'unknown' && <ProviderState of={of} now={now} />}
        </p>
      )}
      {failed !== null && (
        <Meter
          label={name === undefined ? text : `${name}: ${text}`}
          marks={[]}
          parts={[
            { title: 'served', share: 1 - failed, tone: 'spent' },
            { title: 'failed', share: failed, tone: 'bad' },
          ]}
        />
      )}
      <p className="text-small text-muted">{text}</p>
    </>
  )
}

/** Labels of an endpoint, such as its region. */
function EndpointLabels({ of: { labels = {} } }: Pick<EndpointProps, 'of'>) {
  const entries = Object.entries(labels)
  if (entries.length === 0) return null
  return (
    <p className="mt-1 flex flex-wrap gap-1">
      {entries.map(([name, value]) => (
        <Chip key={name}>{value === 'true' ? name : `${name}=${value}`}</Chip>
      ))}
    </p>
  )
}

/** Upstream limits of an endpoint, by model. */
function EndpointLimits({ of: { limits = [] }, now }: EndpointProps) {
  if (limits.length === 0) return null
  return (
    <>
      <p className="mt-1 text-small font-medium">{LABELS.upstreamLimits}</p>
      <ul className="text-small">
        {limits.map((limit) => (
          <li key={limit.model ?? ''} className="wrap-anywhere">
            {limit.model !== undefined && `${limit.model}: `}
            {limitText(limit, now)}
          </li>
        ))}
      </ul>
    </>
  )
}

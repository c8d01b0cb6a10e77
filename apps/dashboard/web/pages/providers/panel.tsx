import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Part } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Note } from '../../components/states.tsx'
import { FullTime } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { CredentialPart } from './credentials/credential-part.tsx'
import { EndpointDetails } from './endpoints.tsx'
import { isUsed, type ProviderStatus, troubleText } from './providers.ts'
import { ProviderState } from './state-chip.tsx'
import { Variables } from './variables.tsx'

export interface ProviderPanelProps {
  readonly id: string
  readonly of: ProviderStatus | undefined
  readonly now: number
  onClose(): void
}

/** Panel of a provider: state, endpoints, errors, variables and details. */
export function ProviderPanel({ id, of, now, onClose }: ProviderPanelProps) {
  return (
    <Peek of={id} title={id} onClose={onClose}>
      {of ? <Known of={of} now={now} /> : <Note look="plain">Provider not found.</Note>}
    </Peek>
  )
}

function Known({ of, now }: { readonly of: ProviderStatus; readonly now: number }) {
  const { name, kind, adapter, why, families, lastError, endpoints = [], troubled = [], overruns = [] } = of
  const isSearch = kind === 'search'
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <ProviderState of={of} now={now} />
        <span className="text-muted">{why}</span>
      </div>
      <div className="flex flex-wrap gap-2">
        {!isSearch && isUsed(of) && (
          <Link to="/models" search={{ provider: name }} className={buttonClass()}>
            Models
          </Link>
        )}
        <Link to="/requests" search={{ provider: name }} className={buttonClass()}>
          {LABELS.requests}
        </Link>
        <Link to="/requests" search={{ provider: name, outcome: 'failed,cut' }} className={buttonClass('quiet')}>
          Failed requests
        </Link>
      </div>
      {endpoints.length > 0 && (
        <Part title={endpoints.length > 1 ? LABELS.endpoints : 'Last 15 minutes'}>
          <EndpointDetails of={endpoints} now={now} />
        </Part>
      )}
      {lastError && (
        <Part title="Last error">
          <Trouble {...lastError} />
        </Part>
      )}
      {troubled.length > 0 && (
        <Part title={`Failing: ${counted(new Set(troubled.map(({ model }) => model)).size, 'model')}`}>
          <ul className="flex flex-col gap-3">
            {troubled.map(({ model, endpoint, restsUntil, lastError: error }) => (
              <li key={`${endpoint ?? ''} ${model}`}>
                <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
                  {model}
                  {endpoint !== undefined && <span className="font-normal text-muted">{endpoint}</span>}
                  {restsUntil !== undefined && restsUntil > now && (
                    <ProviderState of={{ state: 'cooldown', restsUntil }} now={now} />
                  )}
                </p>
                {error && <Trouble {...error} />}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {overruns.length > 0 && <Overruns of={overruns} />}
      {!isSearch && <CredentialPart provider={name} />}
      <Part title="Environment variables">
        <Variables of={of} />
      </Part>
      <Part title="Details">
        <Facts>
          <Fact name="Request types">{families.join(', ') || LABELS.none}</Fact>
          <Fact name="Adapter">{adapter}</Fact>
          <Fact name="Package">
            {of.package.name} {of.package.version}
          </Fact>
        </Facts>
      </Part>
    </>
  )
}

/** Models whose responses were longer than the limit of their request. */
function Overruns({ of }: { readonly of: NonNullable<ProviderStatus['overruns']> }) {
  return (
    <Part title="More output than the limit allowed">
      <ul className="flex flex-col gap-3">
        {of.map(({ model, endpoint, count, limit, output }) => (
          <li key={`${endpoint ?? ''} ${model}`}>
            <p className="font-medium wrap-anywhere">
              {model}
              {endpoint !== undefined && <span className="font-normal text-muted"> {endpoint}</span>}
            </p>
            <p>
              {counted(count, 'response')} within a day. The last one had {counted(output, 'token')} with a limit of{' '}
              {limit}. Budgets reserve more for this model.
            </p>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Trouble(trouble: NonNullable<ProviderStatus['lastError']>) {
  return (
    <blockquote className="rounded-field border-l-2 border-bad bg-sunken px-3 py-2">
      <p className="wrap-anywhere">{troubleText(trouble)}</p>
      <p className="mt-1 text-small text-muted">
        <FullTime at={trouble.at} />
      </p>
    </blockquote>
  )
}

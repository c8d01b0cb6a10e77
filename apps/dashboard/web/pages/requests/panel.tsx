import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/me.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'
import { type RequestDetails, requestQuery } from '../../api/usage.ts'
import { EnvironmentChip, OutcomeChip } from '../../components/chip.tsx'
import { CopyButton, CopyId } from '../../components/copy.tsx'
import { Fact, Facts as FactList } from '../../components/facts.tsx'
import { Part } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Loaded } from '../../components/states.tsx'
import { FullTime } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import { LABELS } from '../../labels.ts'
import { Attempts } from './attempts.tsx'
import { Budgets } from './budgets-part.tsx'
import { Cost } from './cost-part.tsx'
import { Losses } from './losses.tsx'
import { failureText } from './outcomes.ts'
import { Payload } from './payload.tsx'
import { Routing } from './routing.tsx'
import { Tokens } from './tokens.tsx'

/** Panel of a request: attempts, routing, cost, usage, losses, payload and details. */
export function RequestPanel({ request, onClose }: { readonly request: string; onClose(): void }) {
  const query = useQuery(requestQuery(request))
  return (
    <Peek
      of={request}
      onClose={onClose}
      title={query.data ? <Heading row={query.data} /> : 'Request'}
      actions={<CopyButton text={request} label="Copy request ID" />}
    >
      <Loaded query={query} rows={12}>
        {(row) => <Facts row={row} />}
      </Loaded>
    </Peek>
  )
}

function Heading({ row }: { readonly row: RequestDetails }) {
  return (
    <span className="flex items-center gap-2">
      <OutcomeChip row={row} />
      <span className="truncate">{row.model}</span>
      <span className="font-normal whitespace-nowrap text-muted">in {duration(row.durationMs)}</span>
    </span>
  )
}

function Facts({ row }: { readonly row: RequestDetails }) {
  return (
    <>
      {row.failure !== null && (
        <p className="rounded-field bg-bad-tint px-3 py-2 text-bad">
          Failed: {failureText(row.failure)}. <code className="text-small">{row.failure}</code>
        </p>
      )}
      <Attempts row={row} />
      <Routing row={row} />
      <Cost row={row} />
      <Tokens row={row} />
      <Losses row={row} />
      <Budgets of={row.principal} />
      <Payload request={row.requestId} />
      <About row={row} />
    </>
  )
}

function About({ row }: { readonly row: RequestDetails }) {
  const mayReadKeys = useMay('keys.read') !== undefined
  const keys = useKeyNames()
  const projects = useProjectNames()
  const members = useMemberNames(row.member !== null)
  const { format, family, endpoint, policy, translated, stream, finish, tags } = row
  return (
    <Part title="Details">
      <FactList>
        <Fact name={LABELS.started}>
          <FullTime at={row.at} />
        </Fact>
        <Fact name={LABELS.key}>
          {mayReadKeys ? (
            <Link to="/keys" search={{ row: row.principal }}>
              {keys.get(row.principal) ?? row.principal}
            </Link>
          ) : (
            row.principal
          )}
        </Fact>
        {row.project !== null && <Fact name={LABELS.project}>{projects.get(row.project) ?? row.project}</Fact>}
        {row.environment !== null && (
          <Fact name={LABELS.environment}>
            <EnvironmentChip name={row.environment} />
          </Fact>
        )}
        {row.member !== null && <Fact name={LABELS.owner}>{members.get(row.member) ?? row.member}</Fact>}
        <Fact name={LABELS.format}>
          {family}, {format}
          {stream ? ', streamed' : ''}
        </Fact>
        <Fact name={LABELS.provider}>
          {row.provider} as {row.providerModel}
          {translated ? ', translated' : ', not translated'}
        </Fact>
        {endpoint !== null && <Fact name={LABELS.endpoint}>{endpoint}</Fact>}
        {policy !== null && <Fact name={LABELS.routingPolicy}>{policy}</Fact>}
        {finish !== null && <Fact name={LABELS.finish}>{finish}</Fact>}
        {tags && Object.keys(tags).length > 0 && (
          <Fact name={LABELS.tags}>
            {Object.entries(tags)
              .map(([name, value]) => `${name}=${value}`)
              .join(', ')}
          </Fact>
        )}
        <Fact name="Request ID">
          <CopyId id={row.requestId} />
        </Fact>
        <Fact name="Row ID">
          <CopyId id={row.id} />
        </Fact>
        <Fact name="Key ID">
          <CopyId id={row.principal} />
        </Fact>
      </FactList>
    </Part>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/me.ts'
import { problemOf } from '../../api/problem.ts'
import { type RequestDetails, requestQuery } from '../../api/usage.ts'
import { EnvironmentChip } from '../../components/chip.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Fact, Facts as FactList } from '../../components/facts.tsx'
import { useNow } from '../../components/now.ts'
import { Part } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Loaded } from '../../components/states.tsx'
import { FullTime } from '../../components/values.tsx'
import { duration } from '../../formats/durations.ts'
import { LABELS } from '../../labels.ts'
import { Attempts } from './attempts.tsx'
import { Budgets } from './budgets-part.tsx'
import { tagsText } from './columns.tsx'
import { Cost } from './cost-part.tsx'
import { FailureBox } from './failure-box.tsx'
import { Losses } from './losses.tsx'
import { MissingRequest } from './missing-request.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { Payload } from './payload.tsx'
import { RequestActions } from './request-actions.tsx'
import { Routing } from './routing.tsx'
import { Tokens } from './tokens.tsx'

/** Panel of a request: failure, attempts, routing, cost, usage, losses, payload and details. */
export function RequestPanel({ request, onClose }: { readonly request: string; onClose(): void }) {
  const query = useQuery(requestQuery(request))
  const isMissing = query.data === undefined && query.error !== null && problemOf(query.error).status === 404
  return (
    <Peek
      of={request}
      onClose={onClose}
      title={query.data ? <Heading row={query.data} /> : 'Request'}
      actions={<CopyButton text={request} label="Copy request ID" />}
    >
      {isMissing ? (
        <MissingRequest id={request} onRetry={() => void query.refetch()} />
      ) : (
        <Loaded query={query} rows={12}>
          {(row) => <Facts row={row} />}
        </Loaded>
      )}
    </Peek>
  )
}

function Heading({ row }: { readonly row: RequestDetails }) {
  return (
    <span className="flex items-center gap-2">
      <OutcomeMark row={row} />
      <span className="truncate">{row.model || 'no model'}</span>
      <span className="font-normal whitespace-nowrap text-muted">in {duration(row.durationMs)}</span>
    </span>
  )
}

function Facts({ row }: { readonly row: RequestDetails }) {
  const now = useNow()
  const wasCalled = row.outcome !== 'refused'
  return (
    <>
      <FailureBox row={row} now={now} />
      <RequestActions row={row} />
      {wasCalled && <Attempts row={row} />}
      <Routing row={row} />
      {wasCalled && <Cost row={row} />}
      {wasCalled && <Tokens row={row} />}
      {wasCalled && <Losses row={row} />}
      <Budgets of={row.principal} />
      <Payload row={row} now={now} />
      <About row={row} />
    </>
  )
}

function About({ row }: { readonly row: RequestDetails }) {
  const mayReadKeys = useMay('keys.read') !== undefined
  const { format, family, endpoint, policy, translated, stream, finish, tags, endUser, session } = row
  const keyName = row.keyName ?? row.principal
  return (
    <Part title="Details">
      <FactList>
        <Fact name={LABELS.started}>
          <FullTime at={row.at} />
        </Fact>
        <Fact name={LABELS.key}>
          {mayReadKeys ? (
            <Link to="/keys" search={{ row: row.principal }}>
              {keyName}
            </Link>
          ) : (
            keyName
          )}
        </Fact>
        {row.project !== null && <Fact name={LABELS.project}>{row.projectName ?? row.project}</Fact>}
        {row.environment !== null && (
          <Fact name={LABELS.environment}>
            <EnvironmentChip name={row.environment} />
          </Fact>
        )}
        {row.member !== null && <Fact name={LABELS.owner}>{row.memberName ?? row.member}</Fact>}
        <Fact name={LABELS.format}>
          {family}, {format}
          {stream ? ', streamed' : ''}
        </Fact>
        {row.provider !== '' && (
          <Fact name={LABELS.provider}>
            {row.provider} as {row.providerModel}
            {translated ? ', translated' : ', not translated'}
          </Fact>
        )}
        {endpoint !== null && <Fact name={LABELS.endpoint}>{endpoint}</Fact>}
        {policy !== null && <Fact name={LABELS.routingPolicy}>{policy}</Fact>}
        {finish !== null && <Fact name={LABELS.finish}>{finish}</Fact>}
        {endUser !== null && <Fact name={LABELS.endUser}>{endUser}</Fact>}
        {session !== null && (
          <Fact name={LABELS.session}>
            <Link to="/requests" search={{ tab: 'sessions', session }}>
              {session}
            </Link>
          </Fact>
        )}
        {tags && Object.keys(tags).length > 0 && <Fact name={LABELS.tags}>{tagsText(tags)}</Fact>}
      </FactList>
    </Part>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { CopyId } from '../../../components/copy.tsx'
import { Failed, Note, Skeleton } from '../../../components/states.tsx'
import { Duration, Money, Tokens } from '../../../components/values.tsx'
import { exactMoney, rate } from '../../../formats/money.ts'
import { count } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import { usageLabel } from '../../../usage/usage-labels.ts'
import { usageQuery } from './requests.ts'

/** Cost of a request, from its usage row. */
export function Cost({ requestId }: { readonly requestId: string }) {
  const { data: row, error, isPending, refetch } = useQuery(usageQuery(requestId))
  if (isPending) return <Skeleton rows={5} />
  if (error instanceof ApiProblem && error.status === 404)
    return <Note look="plain">No record of this request yet.</Note>
  if (error) return <Failed error={error} retry={() => void refetch()} />
  return (
    <div className="flex flex-col gap-3">
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        <Line title={LABELS.provider}>
          {row.providerModel} of {row.provider}
        </Line>
        <Line title={LABELS.input}>
          <Tokens value={row.input} />
          {row.cacheRead !== null && row.cacheRead > 0 && ` (${count(row.cacheRead)} from cache)`}
        </Line>
        <Line title={LABELS.output}>
          <Tokens value={row.output} />
          {row.reasoning !== null && row.reasoning > 0 && ` (${count(row.reasoning)} reasoning)`}
        </Line>
        {Object.entries(row.units ?? {}).map(([unit, value]) => (
          <Line key={unit} title={usageLabel(unit)}>
            {count(value)}
          </Line>
        ))}
        <Line title={LABELS.ttft}>
          <Duration ms={row.firstByteMs} />
        </Line>
        <Line title={LABELS.total}>
          <Duration ms={row.durationMs} />
        </Line>
        <Line title={LABELS.providerCost}>{row.cost === null ? <Money nanos={null} /> : exactMoney(row.cost)}</Line>
        <Line title={LABELS.charged}>
          <strong>{row.charged === null ? <Money nanos={null} /> : exactMoney(row.charged)}</strong>
        </Line>
      </dl>
      {row.arithmetic && row.arithmetic.lines.length > 0 && (
        <table className="w-full text-small" aria-label="Cost calculation">
          <tbody>
            {row.arithmetic.lines.map(({ kind, count: number, rate: of, amount }) => (
              <tr key={kind}>
                <th scope="row" className="pr-3 text-left font-normal text-muted">
                  {usageLabel(kind)}
                </th>
                <td className="number">
                  {count(number)} × {rate(of)}
                  <span className="text-muted">/M</span> = {exactMoney(amount)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {row.estimated && <Note>Estimated: the provider did not report these tokens.</Note>}
      {row.cost === null && <Note look="plain">No price is known for this model, so the request is not billed.</Note>}
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Link to="/requests" search={{ row: requestId }}>
          {LABELS.openRequest}
        </Link>
        <CopyId id={requestId} label="request ID" />
      </p>
    </div>
  )
}

function Line({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{title}</dt>
      <dd className="text-right wrap-anywhere">{children}</dd>
    </>
  )
}

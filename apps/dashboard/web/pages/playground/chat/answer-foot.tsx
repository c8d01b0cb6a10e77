import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Duration, Money } from '../../../components/values.tsx'
import { counted } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import { usageQuery } from '../wire/requests.ts'
import type { AnswerFacts } from './conversation.ts'

/** Cost, tokens and time of a response. */
export function AnswerFoot({ facts }: { readonly facts: AnswerFacts }) {
  const { requestId, provider, firstMs, allMs, isEstimated, usage } = facts
  const { data: row } = useQuery({ ...usageQuery(requestId), enabled: requestId !== '' })
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-small text-muted">
      {row && (
        <span>
          {LABELS.cost} <Money nanos={row.charged} />
        </span>
      )}
      {usage && (
        <span>
          {counted(usage.input, 'token')} in, {counted(usage.output, 'token')} out
          {isEstimated && ', estimated'}
        </span>
      )}
      {firstMs !== undefined && (
        <span>
          {LABELS.ttft} <Duration ms={Math.round(firstMs)} />
        </span>
      )}
      <span>
        {LABELS.total} <Duration ms={Math.round(allMs)} />
      </span>
      {provider !== '' && <span>{provider}</span>}
      {requestId !== '' && (
        <Link to="/requests" search={{ row: requestId }}>
          {LABELS.openRequest}
        </Link>
      )}
    </p>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Duration, Money } from '../../../components/values.tsx'
import { LABELS } from '../../../labels.ts'
import { usageQuery } from '../wire/requests.ts'
import type { EndpointResponse } from './response.ts'

/** Model, cost and time of a response, and the link to its request. */
export function ResponseFoot({ response }: { readonly response: EndpointResponse }) {
  const { request, requestId, provider, ms } = response
  const { data: row } = useQuery({ ...usageQuery(requestId), enabled: requestId !== '' })
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-small text-muted">
      <span>
        {String(request.fields['model'])}
        {provider !== '' && ` of ${provider}`}
      </span>
      {row && (
        <span>
          {LABELS.cost} <Money nanos={row.charged} />
        </span>
      )}
      <span>
        {LABELS.total} <Duration ms={Math.round(ms)} />
      </span>
      {requestId !== '' && (
        <Link to="/requests" search={{ row: requestId }}>
          {LABELS.openRequest}
        </Link>
      )}
    </p>
  )
}

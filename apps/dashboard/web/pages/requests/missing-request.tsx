import { useMay } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy.tsx'
import { useNow } from '../../components/now.ts'
import { FullTime } from '../../components/values.tsx'
import { missingReasons } from './request-id.ts'

/** Explanation why there is no record of a request. */
export function MissingRequest({ id, onRetry }: { readonly id: string; onRetry(): void }) {
  const { start, reasons } = missingReasons(id, useNow(), useMay('usage.read') === 'all')
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p className="text-lead font-semibold">No record of this request</p>
      <p className="max-w-full">
        <CopyId id={id} label="request ID" />
      </p>
      {start !== undefined && (
        <p>
          The request started <FullTime at={start} />.
        </p>
      )}
      {reasons.length > 1 && <p>Possible reasons:</p>}
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        {reasons.map((reason) => (
          <li key={reason}>{reason.replaceAll('`', '')}</li>
        ))}
      </ul>
      <Button onClick={onRetry}>Retry</Button>
    </div>
  )
}

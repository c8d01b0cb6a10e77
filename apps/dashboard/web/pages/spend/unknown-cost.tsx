import { Link } from '@tanstack/react-router'
import type { RowSums } from '../../api/spend.ts'
import { Note } from '../../components/states.tsx'
import { Money } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'

/** Requests of unknown cost by reason, and the bound of their cost. */
export function UnknownCost({ sums }: { readonly sums: RowSums }) {
  const { unpriced, usageUnknown, held } = sums
  const withoutPrice = unpriced - usageUnknown
  return (
    <div className="mb-4">
      <Note>
        The cost of {counted(unpriced, 'request')} is unknown and not in these totals.{' '}
        {withoutPrice > 0 && (
          <>
            No price is set for {counted(withoutPrice, 'request')}:{' '}
            <Link to="/models" search={{ price: 'unknown' }}>
              add prices
            </Link>
            .{' '}
          </>
        )}
        {usageUnknown > 0 && <>The provider did not report the usage of {counted(usageUnknown, 'request')}. </>}
        {held !== '0' && (
          <>
            Budgets reserve at most <Money nanos={held} /> for them.{' '}
          </>
        )}
        <Link to="/requests">Show requests</Link>
      </Note>
    </div>
  )
}

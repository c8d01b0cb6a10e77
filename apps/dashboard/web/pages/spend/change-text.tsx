import type { SpendRow } from '../../api/spend.ts'
import { money } from '../../formats/money.ts'

/** Change of the spend of a group since the range before, in dollars. More spend is neither good nor bad. */
export function ChangeText({ sums, before }: Pick<SpendRow, 'sums' | 'before'>) {
  const change = BigInt(sums.charged) - BigInt(before.charged)
  if (change === 0n) return <span className="text-muted">no change</span>
  return (
    <span title={`${money(before.charged)} before, ${money(sums.charged)} now`}>
      {change > 0n ? '▲' : '▼'} {money(change < 0n ? -change : change)}
    </span>
  )
}

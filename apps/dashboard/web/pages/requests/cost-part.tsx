import { Link } from '@tanstack/react-router'
import type { Arithmetic, RequestDetails } from '../../api/usage.ts'
import { CopyId } from '../../components/copy.tsx'
import { Part } from '../../components/page.tsx'
import { Note } from '../../components/states.tsx'
import { exactMoney, rate } from '../../formats/money.ts'
import { count } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { usageLabel } from '../../usage/usage-labels.ts'
import { billingOf } from './billing.ts'
import { unknownAmount } from './outcomes.ts'

/** Cost of a request with its calculation and the billing reason. */
export function Cost({ row }: { readonly row: RequestDetails }) {
  const { arithmetic, cost, charged, held, priceId } = row
  return (
    <Part title={LABELS.cost}>
      <div className="flex flex-col gap-3">
        {billingOf(row).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {arithmetic && arithmetic.lines.length > 0 && <Lines arithmetic={arithmetic} />}
        <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-t border-line pt-2">
          <dt className="text-muted">{LABELS.providerCost}</dt>
          <dd className="number">{cost === null ? unknownAmount(row.why) : exactMoney(cost)}</dd>
          <dt className="font-semibold">{LABELS.charged}</dt>
          <dd className="number font-semibold">{charged === null ? unknownAmount(row.why) : exactMoney(charged)}</dd>
          {held !== null && held !== '0' && (
            <>
              <dt className="text-warn">Reserved; final cost unknown</dt>
              <dd className="number text-warn">{exactMoney(held)}</dd>
            </>
          )}
        </dl>
        {cost === null && row.why === 'price-unknown' && (
          <Note>
            No price was set for {row.providerModel} of {row.provider} at the time of the request.{' '}
            <Link to="/models" search={{ row: row.model }}>
              Add a price
            </Link>{' '}
            for new requests.
          </Note>
        )}
        {row.why === 'usage-unknown' && (
          <Note>
            {row.provider} did not report the usage of this request, so its cost is unknown. Adding a price does not
            help.
          </Note>
        )}
        {priceId !== null && (
          <p className="text-small text-muted">
            Price <CopyId id={priceId} label="price ID" />
          </p>
        )}
        {(row.corrections ?? []).map((one) => (
          <Note key={one.id} look="plain">
            Corrected later: provider cost {exactMoney(one.cost)}, charged {exactMoney(one.charged)}.
          </Note>
        ))}
      </div>
    </Part>
  )
}

function Lines({ arithmetic: { lines, tier, isWhole } }: { readonly arithmetic: Arithmetic }) {
  return (
    <div>
      <table className="w-full text-small" aria-label="Cost calculation">
        <tbody>
          {lines.map(({ kind, count: number, rate: of, amount }) => (
            <tr key={kind}>
              <th scope="row" className="pr-3 text-left font-normal text-muted">
                {usageLabel(kind)}
              </th>
              <td className="number">{count(number)}</td>
              <td className="number px-1 text-muted">×</td>
              <td className="number">
                {rate(of)}
                <span className="text-muted">/M</span>
              </td>
              <td className="number px-1 text-muted">=</td>
              <td className="number">{exactMoney(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tier !== undefined && (
        <p className="mt-1 text-small text-muted">
          At the rates of service tier “{tier}”, which the response reported.
        </p>
      )}
      {!isWhole && (
        <p className="mt-1 text-small text-warn">
          These lines are incomplete: a service tier, images or a minimum also counted.
        </p>
      )}
    </div>
  )
}

import { Link } from '@tanstack/react-router'
import type { Arithmetic, UsageOfRequest } from '../../api/usage.ts'
import { CopyId } from '../../components/copy.tsx'
import { Part } from '../../components/page.tsx'
import { Note } from '../../components/states.tsx'
import { exactMoney, rate } from '../../formats/money.ts'
import { count } from '../../formats/numbers.ts'
import { billingOf, unknownAmount } from './billing.ts'

const KINDS: Readonly<Record<string, string>> = {
  input: 'input',
  cacheRead: 'input, read from a cache',
  cacheWrite: 'input, written to a cache',
  cacheWriteLong: 'input, written to a cache for an hour',
  audioInput: 'sound in',
  audioCached: 'sound in, read from a cache',
  imageInput: 'images in',
  output: 'output',
  audioOutput: 'sound out',
  imageOutput: 'images out',
}

/** What it cost, line by line, and why it is billed or not. */
export function Cost({ row }: { readonly row: UsageOfRequest }) {
  const { arithmetic, cost, charged, held, priceId } = row
  return (
    <Part title="What it cost, and why">
      <div className="flex flex-col gap-3">
        {billingOf(row).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {arithmetic && arithmetic.lines.length > 0 && <Lines arithmetic={arithmetic} />}
        <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-t border-line pt-2">
          <dt className="text-muted">Upstreams charge</dt>
          <dd className="number">{cost === null ? unknownAmount(row.why) : exactMoney(cost)}</dd>
          <dt className="font-semibold">Billed to the caller</dt>
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
            No price for {row.providerModel} of {row.provider} at that time.{' '}
            <Link to="/models" search={{ row: row.model }}>
              Set one
            </Link>
            : it applies to requests from then on.
          </Note>
        )}
        {row.why === 'usage-unknown' && (
          <Note>
            {row.provider} did not report the usage of this request, so its cost is unknown. A price would not change
            that.
          </Note>
        )}
        {priceId !== null && (
          <p className="text-small text-muted">
            Price <CopyId id={priceId} label="the price’s id" />
          </p>
        )}
        {(row.corrections ?? []).map((one) => (
          <Note key={one.id} look="plain">
            Set right later: upstreams charge {one.cost === null ? 'nobody knows what' : exactMoney(one.cost)}, the
            caller pays {one.charged === null ? 'nobody knows what' : exactMoney(one.charged)}.
          </Note>
        ))}
      </div>
    </Part>
  )
}

function Lines({ arithmetic: { lines, tier, isWhole } }: { readonly arithmetic: Arithmetic }) {
  return (
    <div>
      <table className="w-full text-small" aria-label="How the cost came about">
        <tbody>
          {lines.map(({ kind, count: number, rate: of, per, amount }) => (
            <tr key={`${kind} ${per}`}>
              <th scope="row" className="pr-3 text-left font-normal text-muted">
                {KINDS[kind] ?? kind}
              </th>
              <td className="number">{count(number)}</td>
              <td className="number px-1 text-muted">×</td>
              <td className="number">
                {rate(of)}
                {per === 'million' && <span className="text-muted">/M</span>}
              </td>
              <td className="number px-1 text-muted">=</td>
              <td className="number">{exactMoney(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tier !== undefined && (
        <p className="mt-1 text-small text-muted">At the rates of the tier “{tier}”, which the answer named.</p>
      )}
      {!isWhole && (
        <p className="mt-1 text-small text-warn">
          These lines are not all of it: a tier of service, images or a minimum counted as well.
        </p>
      )}
    </div>
  )
}

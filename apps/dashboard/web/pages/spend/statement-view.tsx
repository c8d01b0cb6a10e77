import { useQuery } from '@tanstack/react-query'
import { Download, Printer } from 'lucide-react'
import { addressOf } from '../../api/call.ts'
import { useMembership } from '../../api/me.ts'
import { type MonthStatement, statementQuery } from '../../api/spend.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { classes } from '../../components/classes.ts'
import { SelectField } from '../../components/field.tsx'
import { useNow } from '../../components/now.ts'
import { Page } from '../../components/page.tsx'
import { Loaded, Note } from '../../components/states.tsx'
import { exactMoney } from '../../formats/money.ts'
import { count, counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { titleOf } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { dateIn } from '../../view/zones.ts'
import type { SpendSearch } from './search.ts'

/** Number of months to choose from. */
const MONTHS = 13

/** Statement of a month, for print and download. */
export function StatementView({ month }: { readonly month: string }) {
  const { zone, project } = useView()
  const now = useNow()
  const change = useChangeSearch<SpendSearch>()
  const query = { month, zone, ...(project !== undefined && { project }) }
  const loaded = useQuery(statementQuery(query))
  const { year, month: current } = dateIn(zone, now)
  const months = Array.from({ length: MONTHS }, (_, place) =>
    new Date(Date.UTC(year, current - 1 - place)).toISOString().slice(0, 7),
  )
  return (
    <Page
      title={`Statement for ${titleOf(month)}`}
      actions={
        <div className="flex flex-wrap items-end gap-2 print:hidden">
          <SelectField
            label="Month"
            isLabelHidden
            value={month}
            onPick={(value) => change({ statement: value })}
            choices={[...new Set([...months, month])].map((value) => ({ value, title: titleOf(value) }))}
          />
          <a
            className={buttonClass()}
            href={addressOf('GET /spend/statement', { query: { ...query, format: 'csv' } })}
            download
          >
            <Download aria-hidden size={14} /> CSV
          </a>
          <Button onClick={() => window.print()}>
            <Printer aria-hidden size={14} /> Print
          </Button>
          <Button look="quiet" onClick={() => change({ statement: undefined })}>
            {LABELS.close}
          </Button>
        </div>
      }
    >
      <Loaded query={loaded} rows={12}>
        {(statement) => <Lines statement={statement} />}
      </Loaded>
    </Page>
  )
}

function Lines({ statement }: { readonly statement: MonthStatement }) {
  const { zone, isComplete, lines, total, providers } = statement
  const organization = useMembership()?.name
  return (
    <div className="flex flex-col gap-6">
      <p className="text-muted">
        {organization === undefined ? '' : `${organization}. `}Days in {zone}. Amounts in US dollars.
      </p>
      {!isComplete && <Note look="plain">This month has not ended. Its amounts will change.</Note>}
      {total.unpriced > 0 && (
        <Note>The cost of {counted(total.unpriced, 'request')} is unknown and not in these amounts.</Note>
      )}
      <Sheet
        label="Usage by project and model"
        hasTotal
        head={[LABELS.project, LABELS.model, LABELS.requests, LABELS.tokens, LABELS.charged, LABELS.providerCost]}
        names={2}
        rows={[
          ...lines.map(({ project, projectName, model, sums }) => [
            projectName ?? project ?? LABELS.unknown,
            model,
            count(sums.requests),
            count(sums.input + sums.output),
            exactMoney(sums.charged),
            exactMoney(sums.cost),
          ]),
          [
            LABELS.total,
            '',
            count(total.requests),
            count(total.input + total.output),
            exactMoney(total.charged),
            exactMoney(total.cost),
          ],
        ]}
      />
      {providers && providers.length > 0 && (
        <>
          <Sheet
            label="Calls by provider"
            head={[LABELS.provider, LABELS.model, 'Calls', LABELS.tokens, LABELS.providerCost]}
            names={2}
            rows={providers.map(({ provider, model, calls, input, output, cost }) => [
              provider,
              model,
              count(calls),
              count(input + output),
              exactMoney(cost),
            ])}
          />
          <p className="text-small text-muted">
            Days in UTC, as <code>headgate reconcile</code> compares them with bills.
          </p>
        </>
      )}
    </div>
  )
}

interface SheetProps {
  readonly label: string
  readonly head: readonly string[]
  /** Number of columns with names; the others are numbers. */
  readonly names: number
  readonly rows: readonly (readonly string[])[]
  /** True if the last row is the total. */
  readonly hasTotal?: boolean
}

/** Table in which all rows are in the page, for print. */
function Sheet({ label, head, names, rows, hasTotal = false }: SheetProps) {
  return (
    <table className="w-full text-small" aria-label={label}>
      <caption className="mb-2 text-left text-body font-semibold">{label}</caption>
      <thead>
        <tr className="border-b border-line">
          {head.map((title, place) => (
            <th
              key={title}
              scope="col"
              className={place < names ? 'px-2 py-1 text-left font-medium' : 'px-2 py-1 text-right font-medium'}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr
            key={cells.slice(0, names).join(' ')}
            className={classes('border-b border-line', hasTotal && 'last:font-semibold')}
          >
            {cells.map((cell, place) => (
              <td
                key={head[place]}
                className={place < names ? 'max-w-64 truncate px-2 py-1' : 'number px-2 py-1 whitespace-nowrap'}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

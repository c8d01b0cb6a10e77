import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type NowReport, nowQuery } from '../../api/now.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { buttonClass } from '../../components/button.tsx'
import { Later } from '../../components/later.tsx'
import { Page, Section } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'
import { Changes, useMarks } from './changes.tsx'
import { Failures } from './failures.tsx'
import { NowFigures } from './figures.tsx'
import { LimitsReached } from './limits-reached.tsx'
import { ProviderList } from './provider-list.tsx'
import { outcomeSeries, totalsOf } from './sums.ts'

/** The last hour by the minute: requests, failures, providers, refusals, budgets and changes. */
export function NowPage() {
  const query = useQuery(nowQuery)
  return (
    <Page title="Now" lead="The last hour, by the minute.">
      <Loaded query={query} rows={6} height="6rem">
        {(report) => <Report of={report} />}
      </Loaded>
    </Page>
  )
}

function Report({ of }: { readonly of: NowReport }) {
  const { minutes, refusals, marks } = of
  const totals = totalsOf(minutes)
  return (
    <div className="flex flex-col gap-4">
      <NowFigures of={of} totals={totals} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {totals.requests === 0 && refusals.total === 0 ? <NoRequests /> : <Requests of={of} />}
          <Later space="h-96">
            <Failures minutes={minutes} />
            <ProviderList of={of} />
          </Later>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Later space="h-96">
            <LimitsReached of={of} />
            <Changes marks={marks} />
          </Later>
        </div>
      </div>
    </div>
  )
}

function Requests({ of: { minutes, marks: changes } }: { readonly of: NowReport }) {
  const marks = useMarks(changes)
  const series = outcomeSeries(minutes)
  const [first, last] = [minutes[0]?.start ?? 0, minutes.at(-1)?.start ?? 0]
  const sums = series.map(
    ({ title, values }) => `${count(values.reduce<number>((sum, one) => sum + (one ?? 0), 0))} ${title}`,
  )
  return (
    <Section
      title="Requests by outcome"
      actions={
        <Link to="/requests" search={{ range: '1h' }}>
          All requests
        </Link>
      }
    >
      <TimeChart
        sentence={`Requests of the last hour by outcome: ${sums.join(', ')}.`}
        kind="outcome"
        times={minutes.map(({ start }) => start)}
        step="minute"
        range={{ from: first, to: last + 60_000 }}
        series={series}
        look="bars"
        format={(value) => count(value)}
        marks={marks}
      />
    </Section>
  )
}

function NoRequests() {
  return (
    <Section title="Requests by outcome">
      <Empty
        title="No requests in the last hour"
        action={
          <Link to="/start" className={buttonClass('primary')}>
            Send a request
          </Link>
        }
      >
        <p>Minutes appear here within seconds of a request.</p>
      </Empty>
    </Section>
  )
}

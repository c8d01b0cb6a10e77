import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ExplainAnswer, explanationQuery } from '../../api/spend.ts'
import { Figure } from '../../components/figure.tsx'
import { Page } from '../../components/page.tsx'
import { Loaded, Note } from '../../components/states.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { sumOf } from '../../formats/money.ts'
import { count, counted, percent } from '../../formats/numbers.ts'
import { fullTime } from '../../formats/times.ts'
import { inRange } from '../../view/ranges.ts'
import { useView } from '../../view/use-view.ts'
import { CachesSection } from './caches-section.tsx'
import { LossesSection } from './losses-section.tsx'
import { SavedSection } from './saved-section.tsx'

/** Fields that translation lost, and savings by failover and caches. */
export function ExplainPage() {
  const { losses: by = 'field' } = useSearch({ from: '/within/explain' })
  const { range, rangeText, project, environment } = useView()
  const query = { from: String(range.from), to: String(range.to), project, environment }
  const loaded = useQuery(explanationQuery(query))
  return (
    <Page title="Explain" lead={`Effects of translation, failover and caches on requests ${inRange(rangeText)}.`}>
      <Loaded query={loaded} rows={12}>
        {(data) => (
          <div className="flex flex-col gap-4">
            {data.since > range.from && (
              <Note look="plain">
                Only the newest {counted(data.requests, 'request')} since {fullTime(data.since)} are counted. Choose a
                shorter range for all of its requests.
              </Note>
            )}
            <Totals data={data} />
            <LossesSection losses={data.losses} by={by} />
            <SavedSection saved={data.saved} />
            <CachesSection caches={data.caches} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Totals({ data: { requests, saved, caches } }: { readonly data: ExplainAnswer }) {
  const rescued = saved.reduce((sum, one) => sum + one.requests, 0)
  const isUnknown = caches.length > 0 && caches.every(({ saved: one }) => one === null)
  const [input, read] = [
    caches.reduce((sum, one) => sum + one.input, 0),
    caches.reduce((sum, one) => sum + one.cacheRead, 0),
  ]
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure title="Requests" link={{ to: '/requests' }}>
        <Tokens value={requests} />
      </Figure>
      <Figure
        title="Saved by failover"
        note={<span title={counted(rescued, 'request')}>{percent(requests === 0 ? 0 : rescued / requests)}</span>}
        link={{ to: '/requests', search: { outcome: 'failed-over' } }}
      >
        {count(rescued)}
      </Figure>
      <Figure
        title="Saved by caches"
        note={caches.some(({ saved: one }) => one === null) ? 'some prices unknown' : undefined}
      >
        <Money nanos={isUnknown ? null : sumOf(caches.map(({ saved: one }) => one))} />
      </Figure>
      <Figure title="Cached input" note="of requests that use caches">
        {percent(input === 0 ? 0 : read / input)}
      </Figure>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { ResponseOf } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { useProjectNames } from '../../api/names.ts'
import { Button } from '../../components/button.tsx'
import { Meter } from '../../components/meter.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { count, counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { LimitValues } from '../../limits/limit-draft.ts'
import { KeyLimits, NewLimits } from './limits-dialog.tsx'
import { MemberLimits } from './member-limits.tsx'
import { MoreRows } from './more-rows.tsx'
import { limitsQuery } from './queries.ts'

type LimitedKey = ResponseOf<'GET /limits'>['keys'][number]

type LimitUse = NonNullable<LimitedKey['used']>

interface LimitRow {
  readonly id: string
  readonly of: 'key' | 'project' | 'model'
  readonly title: string
  readonly limits: LimitValues
  /** Use within the last minute; undefined = unknown. */
  readonly used?: LimitUse | undefined
  /** Key whose limits can be changed here; undefined = set in the configuration. */
  readonly key?: LimitedKey
}

/** Rate limits of keys, members, projects and models. Projects and models are limited in the configuration. */
export function LimitsSection() {
  const mayWrite = useMay('budgets.write') !== undefined
  const projects = useProjectNames()
  const [dialog, setDialog] = useState<LimitedKey | 'new'>()
  const query = useQuery(limitsQuery)
  const rows = query.data ? rowsOf(query.data, projects) : []
  const close = (): void => setDialog(undefined)
  return (
    <Section
      title={LABELS.rateLimits}
      actions={
        mayWrite && (
          <Button onClick={() => setDialog('new')}>
            <Plus aria-hidden size={14} /> {LABELS.setRateLimits}
          </Button>
        )
      }
    >
      <MemberLimits limitsText={limitsText} />
      <Loaded query={query} rows={1}>
        {() =>
          rows.length === 0 ? (
            <p className="text-muted">No rate limits. Limit keys here, and projects and models in the configuration.</p>
          ) : (
            <MoreRows rows={rows}>
              {(shown) => (
                <ul className="flex flex-col divide-y divide-line">
                  {shown.map(({ id, of, title, limits, used, key }) => (
                    <li key={`${of} ${id}`} className="flex flex-wrap items-center justify-between gap-x-4 py-1.5">
                      <span className="wrap-anywhere">
                        <span className="text-muted">{of}</span>{' '}
                        {key ? (
                          <Link to="/keys" search={{ row: id }}>
                            {title}
                          </Link>
                        ) : (
                          title
                        )}
                      </span>
                      <span className="flex items-center gap-3">
                        {limitsText(limits)}
                        {used && <LimitMeter limits={limits} used={used} title={title} />}
                        {mayWrite && key && (
                          <Button
                            look="quiet"
                            onClick={() => setDialog(key)}
                            aria-label={`Change rate limits of ${title}`}
                          >
                            {LABELS.change}
                          </Button>
                        )}
                        {mayWrite && !key && <span className="text-small text-muted">set in the configuration</span>}
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            </MoreRows>
          )
        }
      </Loaded>
      {dialog === 'new' && <NewLimits onClose={close} />}
      {dialog && dialog !== 'new' && (
        <KeyLimits title={`Rate limits of ${dialog.name ?? dialog.id}`} of={dialog} onClose={close} />
      )}
    </Section>
  )
}

interface LimitMeterProps {
  readonly limits: LimitValues
  readonly used: LimitUse
  /** Name of the limited key or project. */
  readonly title: string
}

/** Used part of the tightest rate limit, within the last minute. */
function LimitMeter({ limits, used, title }: LimitMeterProps) {
  const tightest = tightestOf(limits, used)
  if (!tightest) return null
  const { share, text } = tightest
  return (
    <span className="flex items-center gap-2 text-small text-muted">
      <span className="w-24">
        <Meter
          label={`${title}: ${text}`}
          marks={[]}
          parts={[{ title: 'used', share, tone: share >= 1 ? 'bad' : 'spent' }]}
        />
      </span>
      {text}
    </span>
  )
}

/** Tightest limit of requests and tokens: `4 of 10 requests in the last minute`. */
export function tightestOf(
  { requestsPerMinute, tokensPerMinute }: LimitValues,
  { requests, tokens }: LimitUse,
): { readonly share: number; readonly text: string } | undefined {
  const known = [
    { limit: requestsPerMinute, used: requests, unit: 'request' },
    { limit: tokensPerMinute, used: tokens, unit: 'token' },
  ].flatMap(({ limit, used, unit }) =>
    limit === undefined
      ? []
      : [{ share: used / limit, text: `${count(used)} of ${counted(limit, unit)} in the last minute` }],
  )
  return known.toSorted((one, other) => other.share - one.share)[0]
}

function rowsOf(
  { keys, projects, models }: ResponseOf<'GET /limits'>,
  names: ReadonlyMap<string, string>,
): readonly LimitRow[] {
  return [
    ...keys.map(
      (key): LimitRow => ({
        id: key.id,
        of: 'key',
        title: key.name ?? key.id,
        limits: key.limits,
        used: key.used,
        key,
      }),
    ),
    ...projects.map(
      ({ id, limits, used }): LimitRow => ({ id, of: 'project', title: names.get(id) ?? id, limits, used }),
    ),
    ...models.map(({ id, limits }): LimitRow => ({ id, of: 'model', title: id, limits })),
  ]
}

function limitsText({ requestsPerMinute, tokensPerMinute, concurrent }: LimitValues): string {
  return [
    requestsPerMinute !== undefined && `${count(requestsPerMinute)} requests per minute`,
    tokensPerMinute !== undefined && `${count(tokensPerMinute)} tokens per minute`,
    concurrent !== undefined && `${count(concurrent)} concurrent requests`,
  ]
    .filter(Boolean)
    .join(' · ')
}

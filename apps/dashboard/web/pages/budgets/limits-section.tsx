import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { type AnswerOf, ask } from '../../api/ask.ts'
import { useMay } from '../../api/me.ts'
import { useProjectNames } from '../../api/names.ts'
import { Button } from '../../components/button.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'
import type { Limits } from '../../limits/limit-draft.ts'
import { KeyLimits, NewLimits } from './limits-dialog.tsx'
import { MemberLimits } from './member-limits.tsx'
import { MoreRows } from './more-rows.tsx'

type BoundKey = AnswerOf<'GET /limits'>['keys'][number]

interface Row {
  readonly id: string
  readonly of: 'key' | 'project' | 'model'
  readonly title: string
  readonly limits: Limits
  /** What can be changed here. */
  readonly key?: BoundKey
}

/** How much may be asked: of keys, which is set here, and of projects and models, as the configuration says. */
export function LimitsSection() {
  const mayWrite = useMay('budgets.write') !== undefined
  const projects = useProjectNames()
  const [asked, setAsked] = useState<BoundKey | 'new'>()
  const query = useQuery({
    queryKey: ['keys', 'limits'],
    queryFn: ({ signal }) => ask('GET /limits', { signal }),
  })
  const rows = query.data ? rowsOf(query.data, projects) : []
  const close = (): void => setAsked(undefined)
  return (
    <Section
      title="Limits"
      actions={
        mayWrite && (
          <Button onClick={() => setAsked('new')}>
            <Plus aria-hidden size={14} /> Limit a key
          </Button>
        )
      }
    >
      <MemberLimits limitsText={limitsText} />
      <Loaded query={query} rows={1}>
        {() =>
          rows.length === 0 ? (
            <p className="text-muted">
              Nothing bounds how much may be asked. Keys are limited here, projects and models in the configuration.
            </p>
          ) : (
            <MoreRows rows={rows}>
              {(shown) => (
                <ul className="flex flex-col divide-y divide-line">
                  {shown.map(({ id, of, title, limits, key }) => (
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
                        {mayWrite && key && (
                          <Button
                            look="quiet"
                            onClick={() => setAsked(key)}
                            aria-label={`Change the limits of ${title}`}
                          >
                            Change
                          </Button>
                        )}
                        {mayWrite && !key && <span className="text-small text-muted">by the configuration</span>}
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            </MoreRows>
          )
        }
      </Loaded>
      {asked === 'new' && <NewLimits onClose={close} />}
      {asked && asked !== 'new' && (
        <KeyLimits title={`Limits of ${asked.name ?? asked.id}`} of={asked} onClose={close} />
      )}
    </Section>
  )
}

function rowsOf(
  { keys, projects, models }: AnswerOf<'GET /limits'>,
  names: ReadonlyMap<string, string>,
): readonly Row[] {
  return [
    ...keys.map((key): Row => ({ id: key.id, of: 'key', title: key.name ?? key.id, limits: key.limits, key })),
    ...projects.map(({ id, limits }): Row => ({ id, of: 'project', title: names.get(id) ?? id, limits })),
    ...models.map(({ id, limits }): Row => ({ id, of: 'model', title: id, limits })),
  ]
}

function limitsText({ requestsPerMinute, tokensPerMinute, concurrent }: Limits): string {
  return [
    requestsPerMinute !== undefined && `${count(requestsPerMinute)} requests a minute`,
    tokensPerMinute !== undefined && `${count(tokensPerMinute)} tokens a minute`,
    concurrent !== undefined && `${count(concurrent)} at the same time`,
  ]
    .filter(Boolean)
    .join(' · ')
}

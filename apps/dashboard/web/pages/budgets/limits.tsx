import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type AnswerOf, ask } from '../../api/ask.ts'
import { Section } from '../../components/page.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'

type Limits = AnswerOf<'GET /limits'>['keys'][number]['limits']

/** How much may be asked: of keys, projects and models. */
export function LimitsSection() {
  const { data, error, refetch } = useQuery({ queryKey: ['keys', 'limits'], queryFn: ({ signal }) => ask('GET /limits', { signal }) })
  const rows = data && [
    ...data.keys.map(({ id, name, limits }) => ({
      ...{ id, limits, of: 'key' },
      title: (
        <Link to="/keys" search={{ row: id }}>
          {name ?? id}
        </Link>
      ) as ReactNode,
    })),
    ...data.projects.map(({ id, limits }) => ({ id, limits, of: 'project', title: id as ReactNode })),
    ...data.models.map(({ id, limits }) => ({ id, limits, of: 'model', title: id as ReactNode })),
  ]
  return (
    <Section title="Limits">
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : !rows ? (
        <Skeleton rows={3} />
      ) : rows.length === 0 ? (
        <p className="text-muted">
          Nothing bounds how much may be asked. Keys take limits when they are made, projects and models in the configuration.
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {rows.map(({ id, of, title, limits }) => (
            <li key={`${of} ${id}`} className="flex flex-wrap justify-between gap-x-4 py-1.5">
              <span className="wrap-anywhere">
                <span className="text-muted">{of}</span> {title}
              </span>
              <span>{limitsText(limits)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
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

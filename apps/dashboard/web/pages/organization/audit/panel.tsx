import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Chip } from '../../../components/chip.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { Fact } from '../../../components/facts.tsx'
import { Peek } from '../../../components/peek.tsx'
import { Failed, Note, Skeleton } from '../../../components/states.tsx'
import { FullTime } from '../../../components/values.tsx'
import { LABELS } from '../../../labels.ts'
import { useView } from '../../../view/use-view.ts'
import { type AuditLogEntry, actorName, auditQuery, filtersOf, useNames } from './audit.ts'
import { changesOf } from './changes.ts'
import { sentenceOf } from './sentences.ts'

/** Panel of an entry of the list. */
export function AuditPanel({ id, onClose }: { readonly id: string; onClose(): void }) {
  const search = useSearch({ from: '/within/organization' })
  const { range } = useView()
  const names = useNames()
  const { data, error, refetch } = useInfiniteQuery(
    auditQuery(
      range,
      useMemo(() => filtersOf(search), [search]),
    ),
  )
  const entry = data?.pages.flatMap(({ items }) => items).find((one) => one.id === id)
  return (
    <Peek of={id} title={entry ? sentenceOf(entry, names) : 'Entry'} onClose={onClose}>
      {entry ? (
        <Facts of={entry} />
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data ? (
        <Note look="plain">Entry not in the list. Select a longer time range, or load older entries.</Note>
      ) : (
        <Skeleton rows={8} />
      )}
    </Peek>
  )
}

function Facts({ of }: { readonly of: AuditLogEntry }) {
  const names = useNames()
  const { at, action, actor, target, result, address, agent, session, requestId, id } = of
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <Fact name={LABELS.time}>
          <FullTime at={at} />
        </Fact>
        <Fact name="Actor">
          {actorName(of, names)} {actor.kind === 'key' && <Chip>key</Chip>}{' '}
          <Only filter={{ actor: actor.id ?? actor.kind }} />
        </Fact>
        <Fact name="Action">
          <code className="font-mono text-small">{action}</code>{' '}
          {result !== 'done' && <Chip tone="warn">{result}</Chip>} <Only filter={{ action }} />
        </Fact>
        {target !== undefined && (
          <Fact name="Target">
            {names.get(target)} <CopyId id={target} /> <Only filter={{ target }} />
          </Fact>
        )}
        <Fact name={LABELS.address}>
          {address ?? <span className="text-muted">none (not sent over the network)</span>}
        </Fact>
        {agent !== undefined && <Fact name="Browser">{agent}</Fact>}
        {session !== undefined && (
          <Fact name="Session">
            <CopyId id={session} label="session ID" />
          </Fact>
        )}
        {requestId !== undefined && (
          <Fact name="Request">
            <CopyId id={requestId} label="request ID" />
          </Fact>
        )}
        <Fact name={LABELS.id}>
          <CopyId id={id} label="entry ID" />
        </Fact>
      </dl>
      <Changes of={of} />
    </>
  )
}

function Changes({ of }: { readonly of: AuditLogEntry }) {
  const changes = changesOf(of)
  if (changes.length === 0) return <p className="text-muted">No fields changed.</p>
  return (
    <table className="w-full table-fixed text-small" aria-label="Changes">
      <thead>
        <tr className="border-b border-line text-left text-muted">
          <th scope="col" className="w-28 py-1 pr-2 font-medium">
            Field
          </th>
          <th scope="col" className="py-1 pr-2 font-medium">
            Before
          </th>
          <th scope="col" className="py-1 font-medium">
            After
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field} className="border-b border-line align-top">
            <th scope="row" className="py-1 pr-2 text-left font-normal text-muted wrap-anywhere">
              {field}
            </th>
            <td className="py-1 pr-2 wrap-anywhere">{before ?? <span className="text-muted">{LABELS.none}</span>}</td>
            <td className="py-1 wrap-anywhere">{after ?? <span className="text-muted">{LABELS.none}</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface OnlyProps {
  readonly filter: { readonly actor?: string; readonly action?: string; readonly target?: string }
}

/** Link that filters the list by a value. */
function Only({ filter }: OnlyProps) {
  return (
    <Link
      to="/organization"
      search={(before: object) => ({ ...before, ...filter })}
      resetScroll={false}
      className="text-small text-accent underline underline-offset-2"
    >
      filter
    </Link>
  )
}

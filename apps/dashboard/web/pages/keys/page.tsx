import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { budgetsQuery } from '../../api/budgets.ts'
import { type Key, keysQuery, titleOf } from '../../api/keys.ts'
import { useMay, useMe } from '../../api/me.ts'
import { useMemberNames, useProjectNames } from '../../api/names.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { useNow } from '../../components/now.ts'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Empty, Failed, Forbidden, Note, Skeleton } from '../../components/states.tsx'
import { count, counted } from '../../formats/numbers.ts'
import { readSort, sortText } from '../../table/columns.ts'
import { LongTable } from '../../table/long-table.tsx'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { tightest } from './budgets-of.ts'
import { keyColumns } from './columns.tsx'
import type { KeysSearch } from './search.ts'
import { isOpen as isKept, stateOf } from './state.ts'

const KeyPanel = lazy(() => import('./panel.tsx').then(({ KeyPanel: component }) => ({ default: component })))
const MakeKey = lazy(() => import('./make.tsx').then(({ MakeKey: component }) => ({ default: component })))

const COMMAND = 'headgate keys create --name ci --environment production'

/** Who holds what, and whether it is used. */
export function KeysPage() {
  const mayRead = useMay('keys.read')
  if (mayRead === undefined)
    return (
      <Page title="Keys">
        <Forbidden>Viewers see no keys. An owner or an admin can make you a member.</Forbidden>
      </Page>
    )
  return <Keys isOwn={mayRead === 'own'} />
}

function Keys({ isOwn }: { readonly isOwn: boolean }) {
  const { row, sort, state, make } = useSearch({ from: '/within/keys' })
  const { project, environment } = useView()
  const change = useChangeSearch<KeysSearch & { project?: string; environment?: string }>()
  const { data, error, refetch } = useQuery(keysQuery)
  const mayBudgets = useMay('budgets.read') !== undefined
  const budgets = useQuery({ ...budgetsQuery, enabled: mayBudgets }).data?.items
  const members = useHolders()
  const projects = useProjectNames()
  const now = useNow()
  const [wanted, setWanted] = useState('')
  const isOpen = row !== undefined || make === true
  const tight = useMemo(() => tightest(budgets ?? []), [budgets])
  const columns = useMemo(
    () => keyColumns({ budgets: tight, members, now, isNarrow: isOpen }),
    [tight, members, now, isOpen],
  )
  const scoped = (data?.items ?? []).filter(
    (key) =>
      (project === undefined || key.project === project) &&
      (environment === undefined || key.environment === environment),
  )
  const isShown = (key: Key): boolean =>
    state === 'stopped' ? stateOf(key, now) === 'stopped' : state === 'all' || isKept(key, now)
  const rows = scoped.filter((key) => isShown(key) && isNamed(key, wanted))
  const ended = scoped.filter((key) => !isKept(key, now)).length
  const stopped = scoped.filter((key) => stateOf(key, now) === 'stopped').length
  const mayMake = useMay('keys.write') !== undefined
  const open = (): void => change({ make: true, row: undefined })
  const button = mayMake && (
    <Button look="primary" onClick={open}>
      <Plus aria-hidden size={14} /> Make a key
    </Button>
  )
  const clear = (): void => {
    setWanted('')
    change({ state: 'all', project: undefined, environment: undefined })
  }
  return (
    <Page
      isWide
      title="Keys"
      scope={project === undefined ? undefined : projects.get(project)}
      lead={isOwn ? 'Those that you made. Owners and admins see all.' : undefined}
      actions={data?.items.length !== 0 && button}
      peek={
        <Suspense
          fallback={
            (make || row !== undefined) && (
              <PeekPending
                of={row ?? ''}
                title={make ? 'A new key' : 'Key'}
                onClose={() => change({ make: undefined, row: undefined })}
              />
            )
          }
        >
          {make ? (
            <MakeKey
              onClose={() => change({ make: undefined })}
              onMade={(id) => change({ make: undefined, row: id })}
            />
          ) : (
            row !== undefined && <KeyPanel id={row} onClose={() => change({ row: undefined })} />
          )}
        </Suspense>
      }
    >
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={10} />
      ) : data.items.length === 0 ? (
        <Empty title="There are no keys." command={COMMAND} action={button}>
          <p>Every request needs one. Give each program its own, so that its spend and its end are its own as well.</p>
        </Empty>
      ) : (
        <>
          <div className="mb-3 flex flex-wrap items-center gap-3">
            <div className="w-56">
              <TextField
                label="Find a key"
                isLabelHidden
                type="search"
                placeholder="Name, secret or id…"
                value={wanted}
                onChange={({ target }) => setWanted(target.value)}
              />
            </div>
            {(stopped > 0 || state === 'stopped') && (
              <Button
                look="quiet"
                aria-pressed={state === 'stopped'}
                onClick={() => change({ state: state === 'stopped' ? undefined : 'stopped' })}
              >
                {state === 'stopped'
                  ? 'Show all keys that work'
                  : `Only ${counted(stopped, 'key')} that stopped with its creator`}
              </Button>
            )}
            {ended > 0 && (
              <Button
                look="quiet"
                aria-pressed={state === 'all'}
                onClick={() => change({ state: state === 'all' ? undefined : 'all' })}
              >
                {state === 'all' ? 'Hide' : 'Show'} {counted(ended, 'key')} that ended
              </Button>
            )}
          </div>
          {data.isCut && (
            <Note>There are more than {count(data.items.length)} keys: those that were made last are not here.</Note>
          )}
          {rows.length === 0 ? (
            <Empty title="No keys match." action={<Button onClick={clear}>Show all keys</Button>} />
          ) : (
            <LongTable
              label="Keys"
              columns={columns}
              rows={rows}
              idOf={({ id }: Key) => id}
              linkOf={({ id }) => ({
                to: '/keys',
                search: { row: id, ...(sort !== undefined && { sort }), ...(state !== undefined && { state }) },
              })}
              open={row}
              sort={readSort(sort)}
              onSort={(next) => change({ sort: sortText(next) })}
            />
          )}
        </>
      )}
    </Page>
  )
}

/** Names of those who made keys: one's own is always known. */
function useHolders(): ReadonlyMap<string, string> {
  const me = useMe()
  const members = useMemberNames(true)
  return useMemo(() => new Map([...members, ...(me ? [[me.id, me.name] as const] : [])]), [me, members])
}

function isNamed(key: Key, wanted: string): boolean {
  const text = wanted.trim().toLowerCase()
  return text === '' || [titleOf(key), key.prefix, key.id].some((one) => one.toLowerCase().includes(text))
}

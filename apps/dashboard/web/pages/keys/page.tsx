import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { budgetsQuery } from '../../api/budgets.ts'
import { type Key, keysQuery, titleOf } from '../../api/keys.ts'
import { useMay, useMe } from '../../api/me.ts'
import { useMemberNames, useProjectNames } from '../../api/names.ts'
import { tightest } from '../../budgets/forecast.ts'
import { Button } from '../../components/button.tsx'
import { FindField } from '../../components/field.tsx'
import { useNow } from '../../components/now.ts'
import { Page } from '../../components/page.tsx'
import { PeekPending } from '../../components/peek.tsx'
import { Empty, Forbidden, Loaded, Note } from '../../components/states.tsx'
import { count, counted } from '../../formats/numbers.ts'
import { type Column, readSort, sortText } from '../../table/columns.ts'
import { LongTable } from '../../table/long-table.tsx'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { keyColumns } from './columns.tsx'
import type { KeysSearch } from './search.ts'
import { isOpen, stateOf } from './state.tsx'

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
  const search = useSearch({ from: '/within/keys' })
  const { project } = useView()
  const change = useChangeSearch<KeysSearch>()
  const query = useQuery(keysQuery)
  const projects = useProjectNames()
  const mayMake = useMay('keys.write') !== undefined
  const button = mayMake && (
    <Button look="primary" onClick={() => change({ make: true, row: undefined })}>
      <Plus aria-hidden size={14} /> Make a key
    </Button>
  )
  return (
    <Page
      isWide
      title="Keys"
      scope={project === undefined ? undefined : projects.get(project)}
      lead={isOwn ? 'Those that you made. Owners and admins see all.' : undefined}
      actions={query.data?.items.length !== 0 && button}
      peek={<KeyPeek {...search} />}
    >
      <Loaded query={query} rows={10}>
        {({ items, isCut }) =>
          items.length === 0 ? (
            <Empty title="There are no keys." command={COMMAND} action={button}>
              <p>
                Every request needs one. Give each program its own, so that its spend and its end are its own as well.
              </p>
            </Empty>
          ) : (
            <KeyList keys={items} isCut={isCut} {...search} />
          )
        }
      </Loaded>
    </Page>
  )
}

/** Key that is open, or the form of a new one. */
function KeyPeek({ row, make }: Pick<KeysSearch, 'row' | 'make'>) {
  const change = useChangeSearch<KeysSearch>()
  if (row === undefined && !make) return null
  const close = (): void => change({ make: undefined, row: undefined })
  return (
    <Suspense fallback={<PeekPending of={row ?? ''} title={make ? 'A new key' : 'Key'} onClose={close} />}>
      {make ? (
        <MakeKey onClose={() => change({ make: undefined })} onMade={(id) => change({ make: undefined, row: id })} />
      ) : (
        row !== undefined && <KeyPanel id={row} onClose={() => change({ row: undefined })} />
      )}
    </Suspense>
  )
}

interface KeyListProps extends KeysSearch {
  readonly keys: readonly Key[]
  readonly isCut: boolean
}

/** Keys of the project and environment that are looked at, which can be filtered and sorted. */
function KeyList({ keys, isCut, row, sort, state, make }: KeyListProps) {
  const { project, environment } = useView()
  const change = useChangeSearch<KeysSearch & { project?: string; environment?: string }>()
  const now = useNow()
  const [wanted, setWanted] = useState('')
  const columns = useColumns(now, row !== undefined || make === true)
  const scoped = keys.filter(
    (key) =>
      (project === undefined || key.project === project) &&
      (environment === undefined || key.environment === environment),
  )
  const isShown = (key: Key): boolean =>
    state === 'stopped' ? stateOf(key, now) === 'stopped' : state === 'all' || isOpen(key, now)
  const rows = scoped.filter((key) => isShown(key) && isNamed(key, wanted))
  const clear = (): void => {
    setWanted('')
    change({ state: 'all', project: undefined, environment: undefined })
  }
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <FindField label="Find a key" placeholder="Name, secret or id…" value={wanted} onText={setWanted} />
        <StateButtons keys={scoped} now={now} state={state} />
      </div>
      {isCut && <Note>There are more than {count(keys.length)} keys: those that were made last are not here.</Note>}
      {rows.length === 0 ? (
        <Empty title="No keys match." action={<Button onClick={clear}>Show all keys</Button>} />
      ) : (
        <LongTable
          label="Keys"
          columns={columns}
          rows={rows}
          idOf={({ id }: Key) => id}
          linkOf={({ id }) => ({ to: '/keys', search: { row: id, sort, state } })}
          open={row}
          sort={readSort(sort)}
          onSort={(next) => change({ sort: sortText(next) })}
        />
      )}
    </>
  )
}

interface StateButtonsProps extends Pick<KeysSearch, 'state'> {
  readonly keys: readonly Key[]
  readonly now: number
}

/** Buttons that show stopped keys only, or ended keys as well. */
function StateButtons({ keys, now, state }: StateButtonsProps) {
  const change = useChangeSearch<KeysSearch>()
  const ended = keys.filter((key) => !isOpen(key, now)).length
  const stopped = keys.filter((key) => stateOf(key, now) === 'stopped').length
  const toggle = (wanted: 'all' | 'stopped') => ({
    look: 'quiet' as const,
    'aria-pressed': state === wanted,
    onClick: () => change({ state: state === wanted ? undefined : wanted }),
  })
  return (
    <>
      {(stopped > 0 || state === 'stopped') && (
        <Button {...toggle('stopped')}>
          {state === 'stopped'
            ? 'Show all keys that work'
            : `Only ${counted(stopped, 'key')} that stopped with its creator`}
        </Button>
      )}
      {ended > 0 && (
        <Button {...toggle('all')}>
          {state === 'all' ? 'Hide' : 'Show'} {counted(ended, 'key')} that ended
        </Button>
      )}
    </>
  )
}

function useColumns(now: number, isNarrow: boolean): readonly Column<Key>[] {
  const mayRead = useMay('budgets.read') !== undefined
  const budgets = useQuery({ ...budgetsQuery, enabled: mayRead }).data?.items
  const members = useHolders()
  const tight = useMemo(() => tightest(budgets ?? []), [budgets])
  return useMemo(() => keyColumns({ budgets: tight, members, now, isNarrow }), [tight, members, now, isNarrow])
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

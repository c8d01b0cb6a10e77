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
import { LABELS } from '../../labels.ts'
import { readSort, sortText, type TableColumn } from '../../table/columns.ts'
import { LongTable } from '../../table/long-table.tsx'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { keyColumns } from './columns.tsx'
import type { KeysSearch } from './search.ts'
import { isOpen, stateOf } from './state.tsx'

const KeyPanel = lazy(() => import('./panel.tsx').then(({ KeyPanel: component }) => ({ default: component })))
const CreateKey = lazy(() => import('./create.tsx').then(({ CreateKey: component }) => ({ default: component })))

const COMMAND = 'headgate keys create --name ci --environment production'

/** List of API keys. */
export function KeysPage() {
  const mayRead = useMay('keys.read')
  if (mayRead === undefined)
    return (
      <Page title="Keys">
        <Forbidden>Viewers cannot see keys. Ask an owner or an admin for the member role.</Forbidden>
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
  const mayCreate = useMay('keys.write') !== undefined
  const button = mayCreate && (
    <Button look="primary" onClick={() => change({ make: true, row: undefined })}>
      <Plus aria-hidden size={14} /> {LABELS.createKey}
    </Button>
  )
  return (
    <Page
      isWide
      title="Keys"
      scope={project === undefined ? undefined : projects.get(project)}
      lead={isOwn ? 'Your keys. Owners and admins see all keys.' : undefined}
      actions={query.data?.items.length !== 0 && button}
      peek={<KeyPeek {...search} />}
    >
      <Loaded query={query} rows={10}>
        {({ items, isCut }) =>
          items.length === 0 ? (
            <Empty title="No keys yet" command={COMMAND} action={button}>
              <p>Every request needs a key. Create one for each application to track and limit it separately.</p>
            </Empty>
          ) : (
            <KeyList keys={items} isCut={isCut} {...search} />
          )
        }
      </Loaded>
    </Page>
  )
}

/** Panel of the open key, or the form for a new key. */
function KeyPeek({ row, make }: Pick<KeysSearch, 'row' | 'make'>) {
  const change = useChangeSearch<KeysSearch>()
  if (row === undefined && !make) return null
  const close = (): void => change({ make: undefined, row: undefined })
  return (
    <Suspense fallback={<PeekPending of={row ?? ''} title={make ? 'New key' : LABELS.key} onClose={close} />}>
      {make ? (
        <CreateKey
          onClose={() => change({ make: undefined })}
          onCreated={(id) => change({ make: undefined, row: id })}
        />
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

/** Keys of the selected project and environment, with filters. */
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
        <FindField label="Find a key" placeholder="Name, secret or ID…" value={wanted} onText={setWanted} />
        <StateButtons keys={scoped} now={now} state={state} />
      </div>
      {isCut && <Note>There are more than {count(keys.length)} keys. The newest ones are not listed.</Note>}
      {rows.length === 0 ? (
        <Empty title="No matching keys" action={<Button onClick={clear}>Show all keys</Button>} />
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

/** Buttons that show only stopped keys, or include expired and revoked keys. */
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
          {state === 'stopped' ? 'Show active keys' : `Show ${counted(stopped, 'stopped key')}`}
        </Button>
      )}
      {ended > 0 && (
        <Button {...toggle('all')}>
          {state === 'all' ? 'Hide' : 'Show'} {counted(ended, 'inactive key')}
        </Button>
      )}
    </>
  )
}

function useColumns(now: number, isNarrow: boolean): readonly TableColumn<Key>[] {
  const mayRead = useMay('budgets.read') !== undefined
  const budgets = useQuery({ ...budgetsQuery, enabled: mayRead }).data?.items
  const members = useOwnerNames()
  const tight = useMemo(() => tightest(budgets ?? []), [budgets])
  return useMemo(() => keyColumns({ budgets: tight, members, now, isNarrow }), [tight, members, now, isNarrow])
}

/** Names of owners of keys, including the user's own. */
function useOwnerNames(): ReadonlyMap<string, string> {
  const me = useMe()
  const members = useMemberNames(true)
  return useMemo(() => new Map([...members, ...(me ? [[me.id, me.name] as const] : [])]), [me, members])
}

function isNamed(key: Key, wanted: string): boolean {
  const text = wanted.trim().toLowerCase()
  return text === '' || [titleOf(key), key.prefix, key.id].some((one) => one.toLowerCase().includes(text))
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Bookmark, Columns3, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { CheckField } from '../../components/field.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { ENTRY, Popover } from '../../components/popover.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { HIDEABLE, writeColumns } from './columns.tsx'
import { isDensity } from './density.ts'
import { usePreference, writePreference } from './preferences.ts'
import { NO_FILTERS, type RequestsSearch } from './search.ts'
import { readView, type ViewItem, viewsQuery, writeView } from './views.ts'

/** Menus of saved views and of columns. */
export function ListMenus({ columns }: { readonly columns: readonly string[] }) {
  return (
    <div className="mb-3 flex items-center gap-1">
      <ViewsMenu columns={columns} />
      <ColumnsMenu columns={columns} />
    </div>
  )
}

function ColumnsMenu({ columns }: { readonly columns: readonly string[] }) {
  const change = useChangeSearch<RequestsSearch>()
  const set = (ids: readonly string[]): void => {
    const text = writeColumns(ids)
    writePreference('columns.requests', text)
    change({ columns: text }, { replace: true })
  }
  return (
    <Popover
      label="Columns"
      isAtEnd
      face={
        <>
          <Columns3 aria-hidden size={14} /> Columns
        </>
      }
    >
      <fieldset aria-label="Visible columns" className="max-h-[60dvh] overflow-y-auto">
        {HIDEABLE.map(({ id, title }) => (
          <label key={id} className={`${ENTRY} cursor-pointer`}>
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={columns.includes(id)}
              onChange={({ target }) => set(target.checked ? [...columns, id] : columns.filter((one) => one !== id))}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <Button look="quiet" className="w-full" onClick={() => set([])}>
        Reset columns
      </Button>
      <RowHeights />
    </Popover>
  )
}

/** Choice of the height of rows, which the browser stores. */
function RowHeights() {
  const stored = usePreference('density.requests')
  const chosen = isDensity(stored) ? stored : 'auto'
  return (
    <fieldset aria-label="Row height" className="mt-1 border-t border-line pt-1">
      {(['auto', 'compact', 'comfortable'] as const).map((one) => (
        <label key={one} className={`${ENTRY} cursor-pointer`}>
          <input
            type="radio"
            name="row-height"
            className="size-4 accent-accent"
            checked={one === chosen}
            onChange={() => writePreference('density.requests', one === 'auto' ? undefined : one)}
          />
          {one === 'auto' ? 'Automatic row height' : one === 'compact' ? 'Compact rows' : 'Comfortable rows'}
        </label>
      ))}
    </fieldset>
  )
}

/** Views of the user, and of the team. */
function ViewsMenu({ columns }: { readonly columns: readonly string[] }) {
  const { data } = useQuery(viewsQuery)
  const client = useQueryClient()
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: viewsQuery.queryKey })
  const { mutate: remove } = useMutation({
    mutationFn: ({ id }: ViewItem) => callApi('DELETE /views/{view}', { params: { view: id } }),
    onSettled: reload,
  })
  const mayTeam = useMay('views.write') === 'all'
  const [isNaming, setNaming] = useState(false)
  const views = data?.items ?? []
  const groups = [
    { title: 'Your views', views: views.filter(({ isTeams }) => !isTeams), canRemove: true },
    { title: 'Views of the team', views: views.filter(({ isTeams }) => isTeams), canRemove: mayTeam },
  ].filter((group) => group.views.length > 0)
  return (
    <>
      <Popover
        label="Saved views"
        isAtEnd
        face={
          <>
            <Bookmark aria-hidden size={14} /> Views
          </>
        }
      >
        {groups.length === 0 && <p className="max-w-64 px-3 py-2 text-muted">No saved views.</p>}
        {groups.map((group) => (
          <section key={group.title} aria-label={group.title} className="max-h-[30dvh] overflow-y-auto">
            <p className="px-3 py-1 text-small font-semibold text-muted">{group.title}</p>
            <ul>
              {group.views.map((view) => (
                <ViewEntry key={view.id} view={view} onRemove={group.canRemove ? () => remove(view) : undefined} />
              ))}
            </ul>
          </section>
        ))}
        <Button look="quiet" data-closes className="w-full" onClick={() => setNaming(true)}>
          Save current view…
        </Button>
      </Popover>
      {isNaming && <SaveDialog columns={columns} mayTeam={mayTeam} onSaved={reload} onClose={() => setNaming(false)} />}
    </>
  )
}

interface ViewEntryProps {
  readonly view: ViewItem
  /** Undefined = the user may not delete it. */
  readonly onRemove: (() => void) | undefined
}

function ViewEntry({ view, onRemove }: ViewEntryProps) {
  return (
    <li className="flex items-center">
      <Link to="/requests" search={{ ...EMPTY_VIEW, ...readView(view) }} className={`${ENTRY} min-w-0 truncate`}>
        {view.name}
      </Link>
      {onRemove && (
        <IconButton label={`Delete view ${view.name}`} onClick={onRemove}>
          <Trash2 aria-hidden size={14} />
        </IconButton>
      )}
    </li>
  )
}

/** Search parameters that a view sets, without values. */
const EMPTY_VIEW = { ...NO_FILTERS, sort: undefined, columns: undefined, row: undefined, tab: undefined }

interface SaveDialogProps {
  readonly columns: readonly string[]
  readonly mayTeam: boolean
  onSaved(): Promise<void>
  onClose(): void
}

function SaveDialog({ columns, mayTeam, onSaved, onClose }: SaveDialogProps) {
  const search = useSearch({ from: '/within/requests' })
  const { range } = useSearch({ strict: false })
  const [isTeams, setTeams] = useState(false)
  const save = async (name: string): Promise<void> => {
    const view = writeView({ ...search, range, columns: writeColumns(columns) })
    await callApi('PUT /views', { body: { page: 'requests', name, search: view, isTeams } })
    await onSaved()
  }
  return (
    <NameDialog
      title="Save view"
      action="Save view"
      before=""
      hint="Filters, order, columns and time range. A view of the same name is replaced."
      save={save}
      onClose={onClose}
    >
      {mayTeam && <CheckField label="For all members of the organization" checked={isTeams} onCheck={setTeams} />}
    </NameDialog>
  )
}

import { Link, useSearch } from '@tanstack/react-router'
import { Bookmark, Columns3, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMe, useMembership } from '../../api/me.ts'
import { ApiProblem } from '../../api/problem.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { ENTRY, Popover } from '../../components/popover.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { HIDEABLE, writeColumns } from './columns.tsx'
import { writePreference } from './preferences.ts'
import { NO_FILTERS, type RequestsSearch } from './search.ts'
import { deleteView, MOST, saveView, useViews } from './views.ts'

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
    </Popover>
  )
}

/** Views of the user in this browser. */
function ViewsMenu({ columns }: { readonly columns: readonly string[] }) {
  const search = useSearch({ from: '/within/requests' })
  const { range } = useSearch({ strict: false })
  const owner = `${useMe()?.id ?? ''}.${useMembership()?.organization ?? ''}`
  const views = useViews(owner)
  const [isNaming, setNaming] = useState(false)
  const { row: _, tab: __, ...filters } = search
  const save = async (name: string): Promise<void> => {
    const view = { name, search: Object.assign({ ...filters, range }, { columns: writeColumns(columns) }) }
    const problem = saveView(owner, view)
    if (problem === undefined) return
    throw new ApiProblem({ type: 'about:blank', title: 'View not saved', status: 0, detail: problem, instance: '' })
  }
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
        {views.length === 0 && <p className="max-w-64 px-3 py-2 text-muted">No saved views in this browser.</p>}
        <ul className="max-h-[60dvh] overflow-y-auto">
          {views.map((view) => (
            <li key={view.name} className="flex items-center">
              <Link
                to="/requests"
                search={{ ...NO_FILTERS, sort: undefined, ...view.search, row: undefined }}
                className={`${ENTRY} min-w-0 truncate`}
              >
                {view.name}
              </Link>
              <IconButton label={`Delete view ${view.name}`} onClick={() => deleteView(owner, view.name)}>
                <Trash2 aria-hidden size={14} />
              </IconButton>
            </li>
          ))}
        </ul>
        <Button look="quiet" data-closes className="w-full" onClick={() => setNaming(true)}>
          Save current view…
        </Button>
      </Popover>
      {isNaming && (
        <NameDialog
          title="Save view"
          action="Save view"
          before=""
          hint={`Filters, order, columns and time range, in this browser. At most ${MOST.name} characters. A view of the same name is replaced.`}
          save={(name) => save(name.slice(0, MOST.name))}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  )
}

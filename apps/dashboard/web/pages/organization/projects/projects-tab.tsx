import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { FolderPlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { callApi } from '../../../api/call.ts'
import { useMay } from '../../../api/me.ts'
import { keyNamesQuery, type ProjectItem, projectsQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { useNow } from '../../../components/now.ts'
import { Empty, Loaded } from '../../../components/states.tsx'
import { toast, toastProblem } from '../../../components/toasts.tsx'
import { counted } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import { readSort, sortText } from '../../../table/columns.ts'
import { LongTable } from '../../../table/long-table.tsx'
import { useChangeSearch } from '../../../view/use-view.ts'
import type { OrganizationSearch } from '../search.ts'
import { type ProjectAction, projectColumns } from './columns.tsx'
import { ArchiveProject, NameProject } from './project-dialogs.tsx'

/** Projects, which group keys and usage. */
export function ProjectsTab() {
  const { sort, state } = useSearch({ from: '/within/organization' })
  const change = useChangeSearch<OrganizationSearch>()
  const client = useQueryClient()
  const query = useQuery(projectsQuery)
  const mayWrite = useMay('projects.write') !== undefined
  const keys = useKeyCounts()
  const [dialog, setDialog] = useState<{ readonly action: ProjectAction | 'create'; readonly of?: ProjectItem }>()
  const { mutate: restore } = useMutation({
    mutationFn: ({ id, version }: ProjectItem) =>
      callApi('PATCH /projects/{project}', { params: { project: id }, version, body: { archived: false } }),
    onSuccess: ({ name }) => {
      toast(`Project ${name} restored.`)
      return client.invalidateQueries({ queryKey: ['projects'] })
    },
    onError: toastProblem,
  })
  const columns = useMemo(
    () =>
      projectColumns({
        keys,
        mayWrite,
        onAction: (action, of) => (action === 'restore' ? restore(of) : setDialog({ action, of })),
      }),
    [keys, mayWrite, restore],
  )
  const all = query.data?.items ?? []
  const archived = all.filter(({ archivedAt }) => archivedAt !== undefined).length
  const rows = state === 'all' ? all : all.filter(({ archivedAt }) => archivedAt === undefined)
  const close = (): void => setDialog(undefined)
  const button = mayWrite && (
    <Button look="primary" onClick={() => setDialog({ action: 'create' })}>
      <FolderPlus aria-hidden size={14} /> {LABELS.newProject}
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex min-h-8 flex-wrap items-center justify-between gap-3">
        <p className="text-muted">The project of a key cannot change. All members can see all projects.</p>
        <div className="flex gap-2">
          {archived > 0 && (
            <Button
              look="quiet"
              aria-pressed={state === 'all'}
              onClick={() => change({ state: state === 'all' ? undefined : 'all' })}
            >
              {state === 'all' ? 'Hide' : 'Show'} {counted(archived, 'archived project')}
            </Button>
          )}
          {button}
        </div>
      </div>
      <Loaded query={query} rows={5}>
        {() =>
          rows.length === 0 ? (
            <Empty title="No projects yet" command="headgate projects create website" action={button} />
          ) : (
            <LongTable
              label="Projects"
              columns={columns}
              rows={rows}
              idOf={({ id }: ProjectItem) => id}
              sort={readSort(sort)}
              onSort={(next) => change({ sort: sortText(next) })}
            />
          )
        }
      </Loaded>
      {dialog?.action === 'create' && <NameProject onClose={close} />}
      {dialog?.action === 'rename' && dialog.of && <NameProject of={dialog.of} onClose={close} />}
      {dialog?.action === 'archive' && dialog.of && (
        <ArchiveProject of={dialog.of} keys={keys?.get(dialog.of.id) ?? 0} onClose={close} />
      )}
    </>
  )
}

/** Number of active keys by project ID; undefined if the user cannot see all keys. */
function useKeyCounts(): ReadonlyMap<string, number> | undefined {
  const maySee = useMay('keys.read') === 'all'
  const now = useNow()
  const { data } = useQuery({ ...keyNamesQuery, enabled: maySee })
  return useMemo(() => {
    if (!maySee) return undefined
    const counts = new Map<string, number>()
    for (const { project, revokedAt, expiresAt } of data?.items ?? [])
      if (revokedAt === undefined && (expiresAt === undefined || expiresAt > now))
        counts.set(project, (counts.get(project) ?? 0) + 1)
    return counts
  }, [maySee, data, now])
}

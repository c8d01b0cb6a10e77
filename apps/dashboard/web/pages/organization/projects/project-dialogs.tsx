import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import type { ProjectItem } from '../../../api/queries.ts'
import { CheckField } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { NameDialog } from '../../../components/name-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'
import { LABELS } from '../../../labels.ts'

/** Dialog that creates a project, or changes its name and whether its keys share stored responses. */
export function NameProject({ of, onClose }: { readonly of?: ProjectItem | undefined; onClose(): void }) {
  const client = useQueryClient()
  const [sharesResponses, setShares] = useState(of?.sharesResponses ?? false)
  const save = async (name: string): Promise<void> => {
    const saved = await (of
      ? callApi('PATCH /projects/{project}', {
          params: { project: of.id },
          version: of.version,
          body: { name, sharesResponses },
        })
      : callApi('POST /projects', { body: { name } }))
    toast(of ? `Project ${saved.name} changed.` : `Project ${saved.name} created.`)
    client.invalidateQueries({ queryKey: ['projects'] }).catch(() => {})
  }
  return (
    <NameDialog
      title={of ? `Change ${of.name}` : LABELS.newProject}
      action={of ? LABELS.save : LABELS.createProject}
      before={of?.name ?? ''}
      hint={of ? 'The ID, keys, budgets and usage do not change.' : 'Groups keys, budgets and usage.'}
      save={save}
      onClose={onClose}
    >
      {of && (
        <CheckField
          label="Share stored responses between keys"
          checked={sharesResponses}
          onCheck={setShares}
          hint="Each key of the project can read, continue and delete responses that other keys stored. The audit log records each access."
        />
      )}
    </NameDialog>
  )
}

export interface ArchiveProjectProps {
  readonly of: ProjectItem
  readonly keys: number
  onClose(): void
}

/** Dialog that archives a project, which can be restored later. */
export function ArchiveProject({ of, keys, onClose }: ArchiveProjectProps) {
  const client = useQueryClient()
  const archive = useMutation({
    mutationFn: () =>
      callApi('PATCH /projects/{project}', {
        params: { project: of.id },
        version: of.version,
        body: { archived: true },
      }),
    onSuccess: () => {
      toast(`Project ${of.name} archived.`)
      onClose()
      return client.invalidateQueries({ queryKey: ['projects'] })
    },
  })
  const still =
    keys === 0
      ? ''
      : keys === 1
        ? ' Its key works until you revoke it.'
        : ` Its ${keys} keys work until you revoke them.`
  return (
    <FormDialog
      title={`Archive ${of.name}`}
      lead={`No new keys can be created for this project. Usage data is kept, and you can restore it later.${still}`}
      action={LABELS.archive}
      isDanger
      request={archive}
      onSubmit={() => archive.mutate()}
      onClose={onClose}
    />
  )
}

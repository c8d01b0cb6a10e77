import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../api/ask.ts'
import type { Project } from '../../../api/queries.ts'
import { CheckField } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { NameDialog } from '../../../components/name-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'

/** A new project, or another name for one and whether its keys share stored responses. */
export function NameProject({ of, onClose }: { readonly of?: Project | undefined; onClose(): void }) {
  const client = useQueryClient()
  const [sharesResponses, setShares] = useState(of?.sharesResponses ?? false)
  const save = async (name: string): Promise<void> => {
    const saved = await (of
      ? ask('PATCH /projects/{project}', {
          params: { project: of.id },
          version: of.version,
          body: { name, sharesResponses },
        })
      : ask('POST /projects', { body: { name } }))
    toast(of ? `${saved.name} is changed.` : `${saved.name} is there: keys can be made for it.`)
    client.invalidateQueries({ queryKey: ['projects'] }).catch(() => {})
  }
  return (
    <NameDialog
      title={of ? `Change ${of.name}` : 'A new project'}
      action={of ? 'Save' : 'Make the project'}
      before={of?.name ?? ''}
      hint={
        of ? 'Its id stays, and with it its keys, budgets and usage.' : 'Keys, budgets and usage are told apart by it.'
      }
      save={save}
      onClose={onClose}
    >
      {of && (
        <CheckField
          label="Its keys share stored responses"
          checked={sharesResponses}
          onCheck={setShares}
          hint="Each key of the project can then read, continue and delete what the others stored. The audit log says so each time."
        />
      )}
    </NameDialog>
  )
}

export interface ArchiveProjectProps {
  readonly of: Project
  readonly keys: number
  onClose(): void
}

/** No new keys for a project from now on. It can be taken back. */
export function ArchiveProject({ of, keys, onClose }: ArchiveProjectProps) {
  const client = useQueryClient()
  const archive = useMutation({
    mutationFn: () =>
      ask('PATCH /projects/{project}', { params: { project: of.id }, version: of.version, body: { archived: true } }),
    onSuccess: () => {
      toast(`${of.name} is archived.`)
      onClose()
      return client.invalidateQueries({ queryKey: ['projects'] })
    },
  })
  const still =
    keys === 0
      ? ''
      : keys === 1
        ? ' Its one key goes on until it is revoked.'
        : ` Its ${keys} keys go on until they are revoked.`
  return (
    <FormDialog
      title={`Archive ${of.name}`}
      lead={`Nobody makes a key for it any more. What it has used stays known, and it can be taken back.${still}`}
      action="Archive"
      isDanger
      request={archive}
      onSubmit={() => archive.mutate()}
      onClose={onClose}
    />
  )
}

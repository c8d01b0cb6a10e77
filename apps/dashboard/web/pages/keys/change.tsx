import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LIMIT_NAMES } from '../../limits/limit-draft.ts'
import { LimitFields } from '../../limits/limit-fields.tsx'
import { type ChangeDraft, type DraftErrors, draftOf, type KeyChange, keyChangeOf } from './draft.ts'
import { useMayGive } from './may-give.ts'
import { RightFields } from './right-fields.tsx'
import { RIGHT_NAMES } from './rights.ts'

const FIELDS = ['name', 'expiresAt', ...RIGHT_NAMES, ...LIMIT_NAMES, ...LIMIT_NAMES.map((name) => `limits.${name}`)]

/** Has a key be called, end and be bounded otherwise. */
export function ChangeKey({ of, onClose }: { readonly of: Key; onClose(): void }) {
  const client = useQueryClient()
  // What somebody types is a change of what they saw, whatever becomes of the key meanwhile.
  const [before] = useState(of)
  const { bounds } = useMayGive()
  const [draft, setDraft] = useState<ChangeDraft>(() => draftOf(of))
  const [errors, setErrors] = useState<DraftErrors>({})
  const save = useMutation({
    mutationFn: (body: KeyChange) =>
      confirmed(() => ask('PATCH /keys/{key}', { params: { key: before.id }, version: before.version, body })),
    onSuccess: (key) => {
      toast(`${titleOf(key)} is changed: every process knows within a second.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const change = (next: Partial<ChangeDraft>): void => setDraft((typed) => ({ ...typed, ...next }))
  const submit = (): void => {
    const read = keyChangeOf(draft, before)
    setErrors('errors' in read ? read.errors : {})
    if (!('body' in read)) return
    if (Object.keys(read.body).length === 0) onClose()
    else save.mutate(read.body, { onSuccess: onClose })
  }
  const shared = { draft, onChange: change, errors, problem: save.error }
  return (
    <FormDialog
      title={`Change ${titleOf(before)}`}
      isPersistent
      size="large"
      action="Change the key"
      request={save}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          autoComplete="off"
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
          error={fieldError(save.error, 'name')}
        />
        <TextField
          label="Ends"
          type="datetime-local"
          hint="In the time zone of this browser. Empty: never."
          value={draft.endsAt}
          onChange={({ target }) => change({ endsAt: target.value })}
          error={errors.endsAt ?? fieldError(save.error, 'expiresAt')}
        />
      </div>
      {bounds && (
        <Group title="How much it may ask">
          <LimitFields {...shared} />
        </Group>
      )}
      <Group title="What it may do, and from where">
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <RightFields {...shared} />
        </div>
      </Group>
    </FormDialog>
  )
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-small font-semibold text-muted">{title}</legend>
      {children}
    </fieldset>
  )
}

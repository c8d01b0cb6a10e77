import { KEY_RIGHT_NAMES } from '@headgate/gateway/ports/key-rights'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { SelectField, TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LIMIT_NAMES } from '../../limits/limit-draft.ts'
import { LimitFields } from '../../limits/limit-fields.tsx'
import { loadSecretDialog, showMadeSecret } from '../../secrets/shown-secret.ts'
import { type ChangeDraft, type DraftErrors, draftOf, type KeyChange, keyChangeOf } from './draft.ts'
import { RightFields, useMayGive } from './right-fields.tsx'

export interface KeyDialogProps {
  readonly of: Key
  onClose(): void
}

const FIELDS = ['name', 'expiresAt', ...KEY_RIGHT_NAMES, ...LIMIT_NAMES, ...LIMIT_NAMES.map((name) => `limits.${name}`)]

/** Has a key be called, end and be bounded otherwise. */
export function ChangeKey({ of, onClose }: KeyDialogProps) {
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
          onText={(name) => change({ name })}
          error={fieldError(save.error, 'name')}
        />
        <TextField
          label="Ends"
          type="datetime-local"
          hint="In the time zone of this browser. Empty: never."
          value={draft.endsAt}
          onText={(endsAt) => change({ endsAt })}
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

const HOUR = 3_600_000
const OVERLAPS = [
  { value: '0', title: 'not at all' },
  { value: String(HOUR), title: '1 hour' },
  { value: String(24 * HOUR), title: '24 hours' },
  { value: String(7 * 24 * HOUR), title: '7 days' },
  { value: String(30 * 24 * HOUR), title: '30 days' },
]

/** Another secret for a key; the one before works for a while. */
export function RotateKey({ of, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  const [overlap, setOverlap] = useState(String(24 * HOUR))
  const rotate = useMutation({
    // What a mutation answers is kept: the secret goes by it.
    mutationFn: async () => {
      await loadSecretDialog()
      const given = { params: { key: of.id }, body: { overlapMs: Number(overlap) }, version: of.version }
      const { key } = await confirmed(() => ask('POST /keys/{key}/rotate', given))
      showMadeSecret({
        title: `The new secret of ${titleOf(of)}`,
        label: 'The new secret',
        secret: key,
        advice: adviceOf(overlap),
      })
    },
    onSuccess: () => {
      client.invalidateQueries({ queryKey: ['keys'] }).catch(() => {})
    },
  })
  return (
    <FormDialog
      title={`Rotate ${titleOf(of)}`}
      lead="The key gets another secret, which is shown once. What it may do, its budgets and its usage stay."
      action="Rotate"
      request={rotate}
      onSubmit={() => rotate.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <SelectField label="Old secret works for" value={overlap} onPick={setOverlap} choices={OVERLAPS} />
    </FormDialog>
  )
}

function adviceOf(overlap: string): string {
  if (overlap === '0') return 'The old secret is refused from now on.'
  return `The old secret works for ${OVERLAPS.find(({ value }) => value === overlap)?.title} more.`
}

/** Ends a key for ever: its name is typed, since it can not be taken back. */
export function RevokeKey({ of, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const name = titleOf(of)
  const revoke = useMutation({
    mutationFn: () => confirmed(() => ask('POST /keys/{key}/revoke', { params: { key: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`${name} is revoked.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <FormDialog
      title={`Revoke ${name}`}
      lead="Every process refuses it within a second, with each of its secrets. This cannot be undone; what it has used stays known."
      action="Revoke for ever"
      isDanger
      isDisabled={typed.trim() !== name}
      request={revoke}
      onSubmit={() => revoke.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        label={`Type ${name} to revoke it`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onText={setTyped}
      />
    </FormDialog>
  )
}

/** Makes the one who looks the creator of a key that stopped with its creator. */
export function TakeOverKey({ of, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  const name = titleOf(of)
  const take = useMutation({
    mutationFn: () =>
      confirmed(() => ask('POST /keys/{key}/take-over', { params: { key: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`${name} is yours and works again.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <FormDialog
      title={`Take over ${name}`}
      lead="The key works again within a second, with your rights at most. Its usage counts as yours, past usage included. Rotate it afterwards if the person who created it may still know its secret."
      action="Take over"
      request={take}
      onSubmit={() => take.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

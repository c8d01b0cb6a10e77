import { KEY_RIGHT_NAMES, KEY_SETTING_NAMES } from '@headgate/gateway/ports/key-rights'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { callApi } from '../../api/call.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { SelectField, TextField } from '../../components/field.tsx'
import { fieldError } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LABELS } from '../../labels.ts'
import { LIMIT_NAMES } from '../../limits/limit-draft.ts'
import { LimitFields } from '../../limits/limit-fields.tsx'
import { loadSecretDialog, showCreatedSecret } from '../../secrets/shown-secret.ts'
import { type ChangeDraft, type DraftErrors, draftOf, type KeyPatch, keyChangeOf } from './draft.ts'
import { RightFields, SettingFields, useMayGive } from './right-fields.tsx'

export interface KeyDialogProps {
  readonly of: Key
  onClose(): void
}

const FIELDS = [
  'name',
  'expiresAt',
  ...KEY_RIGHT_NAMES,
  ...KEY_SETTING_NAMES,
  ...LIMIT_NAMES,
  ...LIMIT_NAMES.map((name) => `limits.${name}`),
]

/** Dialog that changes the name, expiry, limits and rights of a key. */
export function ChangeKey({ of, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  // The changes refer to the values that the user saw, even if the key is updated meanwhile.
  const [before] = useState(of)
  const { bounds } = useMayGive()
  const [draft, setDraft] = useState<ChangeDraft>(() => draftOf(of))
  const [errors, setErrors] = useState<DraftErrors>({})
  const save = useMutation({
    mutationFn: (body: KeyPatch) =>
      confirmed(() => callApi('PATCH /keys/{key}', { params: { key: before.id }, version: before.version, body })),
    onSuccess: (key) => {
      toast(`Key ${titleOf(key)} changed. The change applies within a second.`)
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
      action="Save changes"
      request={save}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <TextField
          label={LABELS.name}
          autoComplete="off"
          value={draft.name}
          onText={(name) => change({ name })}
          error={fieldError(save.error, 'name')}
        />
        <TextField
          label={LABELS.expires}
          placeholder="2026-12-31 18:00"
          autoComplete="off"
          hint="Date and time in your time zone. Empty: never."
          value={draft.endsAt.replace('T', ' ')}
          onText={(endsAt) => change({ endsAt: endsAt.replace(' ', 'T') })}
          error={errors.endsAt ?? fieldError(save.error, 'expiresAt')}
        />
      </div>
      {bounds && (
        <Group title={LABELS.rateLimits}>
          <LimitFields {...shared} />
          <SettingFields {...shared} />
        </Group>
      )}
      <Group title={LABELS.permissions}>
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
  { value: '0', title: 'revoke immediately' },
  { value: String(HOUR), title: '1 hour' },
  { value: String(24 * HOUR), title: '24 hours' },
  { value: String(7 * 24 * HOUR), title: '7 days' },
  { value: String(30 * 24 * HOUR), title: '30 days' },
]

/** Dialog that creates a new secret for a key. The old one can stay valid for a while. */
export function RotateKey({ of, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  const [overlap, setOverlap] = useState(String(24 * HOUR))
  const rotate = useMutation({
    // The query client keeps results of mutations, so the secret is not returned.
    mutationFn: async () => {
      await loadSecretDialog()
      const given = { params: { key: of.id }, body: { overlapMs: Number(overlap) }, version: of.version }
      const { key } = await confirmed(() => callApi('POST /keys/{key}/rotate', given))
      showCreatedSecret({
        title: `New secret of ${titleOf(of)}`,
        label: 'New secret',
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
      lead="Creates a new secret, which is shown once. Permissions, budgets and usage stay the same."
      action={LABELS.rotate}
      request={rotate}
      onSubmit={() => rotate.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <SelectField label="Keep the old secret" value={overlap} onPick={setOverlap} choices={OVERLAPS} />
    </FormDialog>
  )
}

function adviceOf(overlap: string): string {
  if (overlap === '0') return 'The old secret no longer works.'
  return `The old secret works for another ${OVERLAPS.find(({ value }) => value === overlap)?.title}.`
}

/** Dialog that revokes a key. The user types its name, because this cannot be undone. */
export function RevokeKey({ of, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const name = titleOf(of)
  const revoke = useMutation({
    mutationFn: () =>
      confirmed(() => callApi('POST /keys/{key}/revoke', { params: { key: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`Key ${name} revoked.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <FormDialog
      title={`Revoke ${name}`}
      lead="All secrets of this key stop working within a second. This cannot be undone. Usage data is kept."
      action="Revoke key"
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

/** Dialog that transfers a stopped key to the user. */
export function TakeOverKey({ of, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  const name = titleOf(of)
  const take = useMutation({
    mutationFn: () =>
      confirmed(() => callApi('POST /keys/{key}/take-over', { params: { key: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`You now own ${name}, and it works again.`)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <FormDialog
      title={`Take over ${name}`}
      lead="The key works again within a second, limited to your permissions. Its usage, including past usage, counts as yours. Rotate it afterwards if its creator may still know the secret."
      action="Take over"
      request={take}
      onSubmit={() => take.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { keysQuery, titleOf } from '../../api/keys.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LIMIT_NAMES, type LimitErrors, type Limits, limitDraftOf, limitsOf } from '../../limits/limit-draft.ts'
import { LimitFields } from '../../limits/limit-fields.tsx'

/** A key whose limits are set. */
interface Limited {
  readonly id: string
  readonly name?: string | undefined
  readonly limits?: Limits | undefined
  readonly version: number
}

/** Has a key be limited otherwise, or not at all. */
export function ChangeLimits({ of, onClose }: { readonly of: Limited; onClose(): void }) {
  return (
    <Dialog title={`Limits of ${of.name ?? of.id}`} isOpen isPersistent onClose={onClose}>
      <LimitsForm of={of} onClose={onClose} />
    </Dialog>
  )
}

/** Limits a key that is not limited yet. */
export function NewLimits({ onClose }: { onClose(): void }) {
  const { data, error, refetch } = useQuery(keysQuery)
  const [id, setId] = useState('')
  const free = data?.items.filter(({ limits, revokedAt }) => limits === undefined && revokedAt === undefined) ?? []
  const key = free.find((one) => one.id === id) ?? free[0]
  return (
    <Dialog title="Limit a key" isOpen isPersistent onClose={onClose}>
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={3} />
      ) : key ? (
        <LimitsForm of={key} onClose={onClose}>
          <SelectField
            label="Key"
            value={key.id}
            onChange={({ target }) => setId(target.value)}
            choices={free.map((one) => ({ value: one.id, title: `${titleOf(one)} (${one.environment})` }))}
          />
        </LimitsForm>
      ) : (
        <>
          <p className="text-muted">There is no key that is not limited yet.</p>
          <DialogActions>
            <Button onClick={onClose}>Close</Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}

function LimitsForm({
  of,
  onClose,
  children,
}: {
  readonly of: Limited
  onClose(): void
  readonly children?: ReactNode
}) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => limitDraftOf(of.limits))
  const [errors, setErrors] = useState<LimitErrors>({})
  const save = useMutation({
    mutationFn: (body: Limits) =>
      confirmed(() => ask('PUT /limits/keys/{key}', { params: { key: of.id }, version: of.version, body })),
    onSuccess: (key, body) => {
      const isBound = Object.keys(body).length > 0
      toast(
        isBound
          ? `${titleOf(key)} is limited, in every process within a second.`
          : `Nothing limits ${titleOf(key)} any more.`,
      )
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const submit = (): void => {
    const read = limitsOf(draft)
    setErrors('errors' in read ? read.errors : {})
    if ('limits' in read) save.mutate(read.limits, { onSuccess: onClose })
  }
  const change = (next: Partial<typeof draft>): void => setDraft((before) => ({ ...before, ...next }))
  const isEmpty = LIMIT_NAMES.every((name) => draft[name].trim() === '')
  return (
    <Form error={save.error} fields={LIMIT_NAMES} onSubmit={submit}>
      {children}
      <LimitFields {...{ draft, errors }} onChange={change} problem={save.error} />
      <p className="text-small text-muted">
        What exceeds them is refused with 429 and a time to wait; nothing of it is sent or billed.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isEmpty && of.limits === undefined} isBusy={save.isPending}>
          {isEmpty && of.limits !== undefined ? 'Take the limits away' : 'Set the limits'}
        </Button>
      </DialogActions>
    </Form>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { callApi } from '../../api/call.ts'
import { keysQuery, titleOf } from '../../api/keys.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LABELS } from '../../labels.ts'
import type { LimitValues } from '../../limits/limit-draft.ts'
import { LimitsDialog } from '../../limits/limits-dialog.tsx'

interface KeyLimitsProps {
  readonly title: string
  /** Key to limit. */
  readonly of: {
    readonly id: string
    readonly limits?: LimitValues | undefined
    readonly version: number
  }
  onClose(): void
  readonly children?: ReactNode
}

/** Dialog that changes or removes the rate limits of a key. */
export function KeyLimits({ of, ...dialog }: KeyLimitsProps) {
  const client = useQueryClient()
  const save = async (body: LimitValues): Promise<void> => {
    const key = await confirmed(() =>
      callApi('PUT /limits/keys/{key}', { params: { key: of.id }, version: of.version, body }),
    )
    toast(
      Object.keys(body).length > 0
        ? `Rate limits of ${titleOf(key)} set. They apply within a second.`
        : `Rate limits of ${titleOf(key)} removed.`,
    )
    await client.invalidateQueries({ queryKey: ['keys'] })
  }
  return (
    <LimitsDialog
      {...dialog}
      limits={of.limits}
      save={save}
      note="Requests over a limit get status 429 and a time to wait. They are not sent to a provider and not billed."
    />
  )
}

/** Dialog that sets the rate limits of a key without limits. */
export function NewLimits({ onClose }: { onClose(): void }) {
  const { data, error, refetch } = useQuery(keysQuery)
  const [id, setId] = useState('')
  const free = data?.items.filter(({ limits, revokedAt }) => limits === undefined && revokedAt === undefined) ?? []
  const key = free.find((one) => one.id === id) ?? free[0]
  const title = LABELS.setRateLimits
  if (key)
    return (
      <KeyLimits title={title} of={key} onClose={onClose}>
        <SelectField
          label={LABELS.key}
          value={key.id}
          onPick={setId}
          choices={free.map((one) => ({ value: one.id, title: `${titleOf(one)} (${one.environment})` }))}
        />
      </KeyLimits>
    )
  return (
    <Dialog title={title} isOpen isPersistent onClose={onClose}>
      {data ? (
        <p className="text-muted">All keys have rate limits already.</p>
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      <DialogActions>
        <Button onClick={onClose}>{LABELS.close}</Button>
      </DialogActions>
    </Dialog>
  )
}

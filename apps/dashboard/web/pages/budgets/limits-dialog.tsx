import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { keysQuery, titleOf } from '../../api/keys.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import type { Limits } from '../../limits/limit-draft.ts'
import { LimitsDialog } from '../../limits/limits-dialog.tsx'

interface KeyLimitsProps {
  readonly title: string
  /** Key whose limits are set. */
  readonly of: {
    readonly id: string
    readonly limits?: Limits | undefined
    readonly version: number
  }
  onClose(): void
  readonly children?: ReactNode
}

/** Dialog that changes the limits of a key, or removes them. */
export function KeyLimits({ of, ...dialog }: KeyLimitsProps) {
  const client = useQueryClient()
  const save = async (body: Limits): Promise<void> => {
    const key = await confirmed(() =>
      ask('PUT /limits/keys/{key}', { params: { key: of.id }, version: of.version, body }),
    )
    toast(
      Object.keys(body).length > 0
        ? `${titleOf(key)} is limited, in every process within a second.`
        : `Nothing limits ${titleOf(key)} any more.`,
    )
    await client.invalidateQueries({ queryKey: ['keys'] })
  }
  return (
    <LimitsDialog
      {...dialog}
      limits={of.limits}
      save={save}
      note="What exceeds them is refused with 429 and a time to wait; nothing of it is sent or billed."
    />
  )
}

/** Dialog that limits a key that has no limits yet. */
export function NewLimits({ onClose }: { onClose(): void }) {
  const { data, error, refetch } = useQuery(keysQuery)
  const [id, setId] = useState('')
  const free = data?.items.filter(({ limits, revokedAt }) => limits === undefined && revokedAt === undefined) ?? []
  const key = free.find((one) => one.id === id) ?? free[0]
  const title = 'Limit a key'
  if (key)
    return (
      <KeyLimits title={title} of={key} onClose={onClose}>
        <SelectField
          label="Key"
          value={key.id}
          onPick={setId}
          choices={free.map((one) => ({ value: one.id, title: `${titleOf(one)} (${one.environment})` }))}
        />
      </KeyLimits>
    )
  return (
    <Dialog title={title} isOpen isPersistent onClose={onClose}>
      {data ? (
        <p className="text-muted">There is no key that is not limited yet.</p>
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}

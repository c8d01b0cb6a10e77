import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { SelectField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { loadSecretDialog } from '../../secrets/shown-secret.ts'
import { showMadeSecret } from './made-secret.ts'

const HOUR = 3_600_000
const OVERLAPS = [
  { value: '0', title: 'not at all' },
  { value: String(HOUR), title: '1 hour' },
  { value: String(24 * HOUR), title: '24 hours' },
  { value: String(7 * 24 * HOUR), title: '7 days' },
  { value: String(30 * 24 * HOUR), title: '30 days' },
]

/** Another secret for a key; the one before works for a while. */
export function RotateKey({ of, onClose }: { readonly of: Key; onClose(): void }) {
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
      <SelectField
        label="Old secret works for"
        value={overlap}
        onChange={({ target }) => setOverlap(target.value)}
        choices={OVERLAPS}
      />
    </FormDialog>
  )
}

function adviceOf(overlap: string): string {
  if (overlap === '0') return 'The old secret is refused from now on.'
  return `The old secret works for ${OVERLAPS.find(({ value }) => value === overlap)?.title} more.`
}

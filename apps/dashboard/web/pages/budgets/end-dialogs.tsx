import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import type { Budget } from '../../api/budgets.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { money } from '../../formats/money.ts'

interface EndProps {
  readonly of: Budget
  onClose(): void
}

/** Has a budget begin anew. */
export function ResetBudget({ of, onClose, onDone }: EndProps & { onDone(id: string): void }) {
  const client = useQueryClient()
  const reset = useMutation({
    mutationFn: () =>
      confirmed(() => ask('POST /budgets/{budget}/reset', { params: { budget: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`${of.name} begins anew, in every process within a second.`)
      // Not waited for: once it is read it is gone, and what is open with it.
      client.invalidateQueries({ queryKey: ['budgets'] }).catch(() => {})
    },
  })
  return (
    <FormDialog
      title={`Reset ${of.name}`}
      lead={`${money(of.limit)} may be spent of it from now on: the ${money(of.spent)} that are spent count for it no more. They stay in the usage, and other budgets count them as before.`}
      action="Reset"
      isDanger
      request={reset}
      onSubmit={() => reset.mutate(undefined, { onSuccess: ({ id }) => onDone(id) })}
      onClose={onClose}
    />
  )
}

/** Removes a budget. */
export function RemoveBudget({ of, onClose, onDone }: EndProps & { onDone(): void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      confirmed(() => ask('DELETE /budgets/{budget}', { params: { budget: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`${of.name} is removed.`)
      // Not waited for: once it is read it is gone, and what is open with it.
      client.invalidateQueries({ queryKey: ['budgets'] }).catch(() => {})
    },
  })
  return (
    <FormDialog
      title={`Remove ${of.name}`}
      lead="Nothing is bounded by it any more, within a second. What was spent of it stays known."
      action="Remove"
      isDanger
      request={remove}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onDone })}
      onClose={onClose}
    />
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BudgetItem } from '../../api/budgets.ts'
import { callApi } from '../../api/call.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { money } from '../../formats/money.ts'
import { LABELS } from '../../labels.ts'

interface EndProps {
  readonly of: BudgetItem
  onClose(): void
}

/** Dialog that resets the spend of a budget. */
export function ResetBudget({ of, onClose, onDone }: EndProps & { onDone(id: string): void }) {
  const client = useQueryClient()
  const reset = useMutation({
    mutationFn: () =>
      confirmed(() => callApi('POST /budgets/{budget}/reset', { params: { budget: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`Spend of ${of.name} reset. The change applies within a second.`)
      // Not awaited: the new list would unmount this dialog first.
      client.invalidateQueries({ queryKey: ['budgets'] }).catch(() => {})
    },
  })
  return (
    <FormDialog
      title={`Reset ${of.name}`}
      lead={`The full ${money(of.limit)} is available again: ${money(of.spent)} of spend no longer counts for this budget. Usage and other budgets do not change.`}
      action="Reset"
      isDanger
      request={reset}
      onSubmit={() => reset.mutate(undefined, { onSuccess: ({ id }) => onDone(id) })}
      onClose={onClose}
    />
  )
}

/** Dialog that removes a budget. */
export function RemoveBudget({ of, onClose, onDone }: EndProps & { onDone(): void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      confirmed(() => callApi('DELETE /budgets/{budget}', { params: { budget: of.id }, version: of.version })),
    onSuccess: () => {
      toast(`Budget ${of.name} removed.`)
      // Not awaited: the new list would unmount this dialog first.
      client.invalidateQueries({ queryKey: ['budgets'] }).catch(() => {})
    },
  })
  return (
    <FormDialog
      title={`Remove ${of.name}`}
      lead="The limit no longer applies within a second. Usage data is kept."
      action={LABELS.remove}
      isDanger
      request={remove}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onDone })}
      onClose={onClose}
    />
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import type { Budget } from '../../api/budgets.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Failed } from '../../components/states.tsx'
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
    <Dialog title={`Reset ${of.name}`} isOpen onClose={onClose}>
      <p className="text-muted">
        {money(of.limit)} may be spent of it from now on: the {money(of.spent)} that are spent count for it no more.
        They stay in the usage, and other budgets count them as before.
      </p>
      {reset.error && <Failed error={reset.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          isBusy={reset.isPending}
          onClick={() => reset.mutate(undefined, { onSuccess: ({ id }) => onDone(id) })}
        >
          Reset
        </Button>
      </DialogActions>
    </Dialog>
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
    <Dialog title={`Remove ${of.name}`} isOpen onClose={onClose}>
      <p className="text-muted">
        Nothing is bounded by it any more, within a second. What was spent of it stays known.
      </p>
      {remove.error && <Failed error={remove.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate(undefined, { onSuccess: onDone })}>
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  )
}

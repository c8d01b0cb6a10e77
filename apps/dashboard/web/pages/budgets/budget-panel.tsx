import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { useMay } from '../../api/me.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { forecastOf } from '../../budgets/forecast.ts'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { useNow } from '../../components/now.ts'
import { Peek } from '../../components/peek.tsx'
import { Failed, Note } from '../../components/states.tsx'
import { Money } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import type { Budget } from '../keys/keys.ts'
import { BudgetForm } from './budget-form.tsx'
import { endSentence, termsOf } from './sentences.ts'

/** A budget: what is left of it and until when, to be raised, lowered or removed. */
export function BudgetPanel({ of, onClose }: { readonly of: Budget; onClose(): void }) {
  const now = useNow()
  const mayWrite = useMay('budgets.write') !== undefined
  const [isRemoving, setRemoving] = useState(false)
  return (
    <Peek of={of.id} title={of.name} onClose={onClose}>
      <div>
        <p className="mb-2 text-muted">{termsOf(of)}</p>
        <BudgetMeter budget={of} now={now} />
        <p className="mt-1">{endSentence(forecastOf(of, now), of, now)}</p>
      </div>
      <dl className="grid grid-cols-3 gap-3">
        <div>
          <dt className="text-small text-muted">Spent</dt>
          <dd className="text-lead font-semibold">
            <Money nanos={of.spent} />
          </dd>
        </div>
        <div>
          <dt className="text-small text-muted">Left</dt>
          <dd className="text-lead font-semibold">
            <Money nanos={leftOf(of)} />
          </dd>
        </div>
        <div>
          <dt className="text-small text-muted" title="What gateways may spend of it without asking the store again.">
            Of that, leased
          </dt>
          <dd className="text-lead font-semibold">
            <Money nanos={of.tiedUp} />
          </dd>
        </div>
      </dl>
      {of.source === 'config' ? (
        <Note look="plain">The configuration says what it is: it is changed there.</Note>
      ) : (
        mayWrite && (
          <>
            <BudgetForm key={`${of.id} ${of.version}`} of={of} onDone={onClose} onCancel={onClose} />
            <div>
              <Button look="danger" onClick={() => setRemoving(true)}>
                Remove the budget
              </Button>
            </div>
          </>
        )
      )}
      <CopyId id={of.id} />
      {isRemoving && <RemoveBudget of={of} onCancel={() => setRemoving(false)} onDone={onClose} />}
    </Peek>
  )
}

function RemoveBudget({ of, onCancel, onDone }: { readonly of: Budget; onCancel(): void; onDone(): void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => confirmed(() => ask('DELETE /budgets/{budget}', { params: { budget: of.id }, version: of.version })),
    onSuccess: () => {
      onDone()
      return client.invalidateQueries({ queryKey: ['budgets'] })
    },
  })
  return (
    <Dialog title={`Remove ${of.name}`} isOpen onClose={onCancel}>
      <p className="text-muted">Nothing is bounded by it any more, within a second. What was spent of it stays known.</p>
      {remove.error && <Failed error={remove.error} />}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  )
}

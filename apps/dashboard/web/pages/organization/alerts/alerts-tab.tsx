import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { type DestinationItem, destinationsQuery } from '../../../api/alerts.ts'
import { callApi } from '../../../api/call.ts'
import { useMay } from '../../../api/me.ts'
import { Button } from '../../../components/button.tsx'
import { Chip } from '../../../components/chip.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Section } from '../../../components/page.tsx'
import { Failed, Forbidden, Loaded } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { LABELS } from '../../../labels.ts'
import { DestinationForm } from './destination-form.tsx'
import { KINDS, rulesText } from './draft.ts'

/** Destinations of alerts. */
export function AlertsTab() {
  const may = useMay('budgets.write') === 'all'
  if (!may) return <Forbidden>Only owners and admins can see destinations of alerts.</Forbidden>
  return <Destinations />
}

type OpenDialog = { readonly kind: 'add' } | { readonly kind: 'change' | 'remove'; readonly of: DestinationItem }

function Destinations() {
  const query = useQuery(destinationsQuery)
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = (): void => setDialog(undefined)
  return (
    <Section title="Destinations of alerts">
      <div className="flex flex-col items-start gap-4">
        <p className="text-muted">Receive alerts of budgets, error rates and latency of the whole gateway.</p>
        <Loaded query={query} rows={3}>
          {({ items, hasMail }) =>
            items.length === 0 ? (
              <p>None. Alerts are logged only, unless the configuration names a URL.</p>
            ) : (
              <ul className="w-full">
                {items.map((of) => (
                  <Item key={of.id} of={of} hasMail={hasMail} onAction={(kind) => setDialog({ kind, of })} />
                ))}
              </ul>
            )
          }
        </Loaded>
        <Button onClick={() => setDialog({ kind: 'add' })}>
          <Plus aria-hidden size={14} /> Add destination
        </Button>
      </div>
      {dialog?.kind === 'add' && (
        <DestinationForm of={undefined} hasMail={query.data?.hasMail ?? false} onClose={close} />
      )}
      {dialog?.kind === 'change' && (
        <DestinationForm of={dialog.of} hasMail={query.data?.hasMail ?? false} onClose={close} />
      )}
      {dialog?.kind === 'remove' && <RemoveDestination of={dialog.of} onClose={close} />}
    </Section>
  )
}

interface ItemProps {
  readonly of: DestinationItem
  readonly hasMail: boolean
  onAction(kind: 'change' | 'remove'): void
}

function Item({ of, hasMail, onAction }: ItemProps) {
  const { id, name, kind, shown, rules } = of
  const test = useMutation({
    mutationFn: () => callApi('POST /alerts/destinations/{destination}/test', { params: { destination: id } }),
    onSuccess: () => toast(`Test alert sent to ${name}.`),
  })
  return (
    <li className="border-b border-line py-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
            {name} <Chip>{KINDS.find(({ value }) => value === kind)?.title}</Chip>
            <span className="font-normal text-muted">{shown}</span>
          </p>
          <p className="text-small text-muted">Alerts: {rulesText(rules)}</p>
          {kind === 'mail' && !hasMail && (
            <p className="text-small text-warn">
              Not sent: set <code>accounts.smtp</code> in the configuration of the gateway.
            </p>
          )}
        </div>
        <span className="flex flex-wrap gap-2">
          <Button onClick={() => test.mutate()} isBusy={test.isPending} aria-label={`Test ${name}`}>
            {LABELS.test}
          </Button>
          <Button look="quiet" onClick={() => onAction('change')} aria-label={`Change ${name}`}>
            {LABELS.change}
          </Button>
          <Button look="quiet" onClick={() => onAction('remove')} aria-label={`Remove ${name}`}>
            {LABELS.remove}
          </Button>
        </span>
      </div>
      {test.error && <Failed error={test.error} />}
    </li>
  )
}

function RemoveDestination({ of, onClose }: { readonly of: DestinationItem; onClose(): void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      confirmed(() =>
        callApi('DELETE /alerts/destinations/{destination}', {
          params: { destination: of.id },
          version: of.version,
        }),
      ),
    onSuccess: () => {
      toast(`${of.name} removed.`)
      return client.invalidateQueries({ queryKey: ['alert-destinations'] })
    },
  })
  return (
    <FormDialog
      title={`Remove ${of.name}`}
      lead="It receives no further alerts."
      action={LABELS.remove}
      isDanger
      request={remove}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

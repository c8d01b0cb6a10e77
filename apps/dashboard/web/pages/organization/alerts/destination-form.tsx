import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DestinationItem } from '../../../api/alerts.ts'
import { callApi } from '../../../api/call.ts'
import { CheckField, SelectField, TextField } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { LABELS } from '../../../labels.ts'
import { type DestinationDraft, type DestinationProblems, type DraftRules, draftOf, KINDS, rulesOf } from './draft.ts'

export interface DestinationFormProps {
  /** Undefined = a new destination. */
  readonly of: DestinationItem | undefined
  /** True if the gateway can send mails. */
  readonly hasMail: boolean
  onClose(): void
}

/** Dialog that adds or changes a destination of alerts. */
export function DestinationForm({ of, hasMail, onClose }: DestinationFormProps) {
  const client = useQueryClient()
  const [draft, setDraft] = useState<DestinationDraft>(() => draftOf(of))
  const [problems, setProblems] = useState<DestinationProblems>({})
  const change = (part: Partial<DestinationDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const needsAddress = of === undefined || of.kind !== draft.kind
  const save = useMutation({
    // The query client keeps the arguments of mutations, so the address is not one.
    mutationFn: (rules: DraftRules) => confirmed(() => send(of, draft, rules)),
    onSuccess: () => {
      toast(of ? `${draft.name.trim()} changed.` : `${draft.name.trim()} added. Send a test alert to check it.`)
      return client.invalidateQueries({ queryKey: ['alert-destinations'] })
    },
  })
  const submit = (): void => {
    const read = rulesOf(draft, needsAddress)
    setProblems('problems' in read ? read.problems : {})
    if ('rules' in read) save.mutate(read.rules, { onSuccess: onClose })
  }
  const field = (name: 'name' | 'errors' | 'latency' | 'minutes') => ({
    autoComplete: 'off',
    value: draft[name],
    onText: (text: string) => change({ [name]: text }),
    error: problems[name] ?? fieldError(save.error, name),
  })
  return (
    <FormDialog
      title={of ? `Change ${of.name}` : 'Add destination'}
      isPersistent
      action={of ? 'Save changes' : 'Add destination'}
      request={save}
      fields={['name', 'address']}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={LABELS.name} {...field('name')} />
      <SelectField
        label="Kind"
        choices={hasMail ? KINDS : KINDS.filter(({ value }) => value !== 'mail')}
        value={draft.kind}
        onPick={(kind) => change({ kind })}
      />
      <TextField
        label={draft.kind === 'mail' ? 'Email' : 'URL'}
        hint={needsAddress ? 'Stored encrypted. No one can read it again.' : `Empty: stays at ${of?.shown}.`}
        autoComplete="off"
        spellCheck={false}
        value={draft.address}
        onText={(address) => change({ address })}
        error={problems.address ?? fieldError(save.error, 'address')}
      />
      <CheckField
        label="Budgets"
        hint="50, 80 and 100 % of a budget are spent."
        checked={draft.spend}
        onCheck={(spend) => change({ spend })}
      />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        <TextField
          label="Failed requests above (%)"
          inputMode="numeric"
          placeholder={LABELS.none}
          {...field('errors')}
        />
        <TextField label="TTFT (p95) above (ms)" inputMode="numeric" placeholder={LABELS.none} {...field('latency')} />
        <TextField label="In the last minutes" inputMode="numeric" {...field('minutes')} />
      </div>
    </FormDialog>
  )
}

function send(of: DestinationItem | undefined, { name, kind, address }: DestinationDraft, rules: DraftRules) {
  const typed = address.trim()
  const body = { name: name.trim(), kind, rules }
  if (!of) return callApi('POST /alerts/destinations', { body: { ...body, address: typed } })
  return callApi('PUT /alerts/destinations/{destination}', {
    params: { destination: of.id },
    version: of.version,
    body: typed === '' ? body : { ...body, address: typed },
  })
}

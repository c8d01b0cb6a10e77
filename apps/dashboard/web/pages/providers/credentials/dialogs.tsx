import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import type { ProviderCredential } from '../../../api/credentials.ts'
import { TextField } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { LABELS } from '../../../labels.ts'
import { byImportance, type CredentialDraft, fieldTitle, problemsOf, valuesOf } from './fields.ts'

export interface CredentialDialogProps {
  readonly of: ProviderCredential
  onClose(): void
}

/** Dialog that tests and stores the credential of a provider. */
export function SetCredential({ of, onClose }: CredentialDialogProps) {
  const { provider, stored } = of
  const client = useQueryClient()
  const fields = byImportance(of.fields)
  const [draft, setDraft] = useState<CredentialDraft>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const save = useMutation({
    // The query client keeps the arguments of mutations, so the values are not among them.
    mutationFn: () =>
      confirmed(() =>
        callApi('PUT /providers/{provider}/credential', {
          params: { provider },
          version: stored?.version ?? 0,
          body: { values: valuesOf(fields, draft) },
        }),
      ),
    onSuccess: ({ isTested }) => {
      toast(
        isTested
          ? `Credential of ${provider} tested and stored. All requests use it within a second.`
          : `Credential of ${provider} stored. The provider has no call to test it with.`,
      )
      return client.invalidateQueries({ queryKey: ['providers'] })
    },
  })
  const submit = (): void => {
    const found = problemsOf(fields, draft)
    setProblems(found)
    if (Object.keys(found).length === 0) save.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={stored ? `Replace the credential of ${provider}` : `Set the credential of ${provider}`}
      lead="It is tested, then stored encrypted. No one can read it again. To change the base URL, enter the credential again."
      isPersistent
      action="Test and save"
      request={save}
      fields={fields.map(({ name }) => `values.${name}`)}
      onSubmit={submit}
      onClose={onClose}
    >
      {fields.map(({ name, isRequired, isSecret, variables }) => (
        <TextField
          key={name}
          label={fieldTitle(name)}
          hint={hintOf(isRequired, isSecret, variables)}
          type={isSecret ? 'password' : 'text'}
          autoComplete="off"
          spellCheck={false}
          value={draft[name] ?? ''}
          onText={(text) => setDraft((before) => ({ ...before, [name]: text }))}
          error={problems[name] ?? fieldError(save.error, `values.${name}`)}
        />
      ))}
    </FormDialog>
  )
}

function hintOf(isRequired: boolean, isSecret: boolean, variables: readonly string[]): string | undefined {
  const [variable] = variables
  if (!isSecret && !isRequired) return 'Optional.'
  return variable && `As in ${variable}.`
}

/** Dialog that deletes the stored credential of a provider. */
export function RemoveCredential({ of: { provider, stored }, onClose }: CredentialDialogProps) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      confirmed(() =>
        callApi('DELETE /providers/{provider}/credential', { params: { provider }, version: stored?.version }),
      ),
    onSuccess: () => {
      toast(`Credential of ${provider} removed.`)
      return client.invalidateQueries({ queryKey: ['providers'] })
    },
  })
  return (
    <FormDialog
      title={`Remove the credential of ${provider}`}
      lead="Requests to this provider fail within a second. Enter the credential again to use the provider."
      action={LABELS.remove}
      isDanger
      request={remove}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

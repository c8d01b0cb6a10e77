import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Peek } from '../../components/peek.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { loadSecretDialog } from '../../secrets/shown-secret.ts'
import { useView } from '../../view/use-view.ts'
import { type DraftErrors, type KeyBody, type KeyDraft, keyBodyOf, NEW_KEY } from './draft.ts'
import { showMadeSecret } from './made-secret.ts'
import { MoreOfKey } from './make-more.tsx'
import { useMayGive } from './may-give.ts'
import { useProjects } from './projects.ts'

const ENVIRONMENTS = ['development', 'staging', 'production'].map((value) => ({ value, title: value }))

export interface MakeKeyProps {
  onClose(): void
  onMade(id: string): void
}

/** A new key: its name and environment, and folded all that bounds it. */
export function MakeKey({ onClose, onMade }: MakeKeyProps) {
  const client = useQueryClient()
  const projects = useProjects()
  const mayGive = useMayGive()
  const { project = '', environment = 'development' } = useView()
  const [draft, setDraft] = useState<KeyDraft>({ ...NEW_KEY, project, environment })
  const [errors, setErrors] = useState<DraftErrors>({})
  const [once, setOnce] = useState(() => crypto.randomUUID?.())
  const make = useMutation({
    // What a mutation answers is kept: the secret goes by it.
    mutationFn: async (body: KeyBody) => {
      await loadSecretDialog()
      const { key, stored } = await confirmed(() => ask('POST /keys', { body, once }))
      showMadeSecret({
        title: stored.name === undefined ? 'The key' : `The key ${stored.name}`,
        label: 'The key',
        secret: key,
        advice: 'Store it where your program reads it, as HEADGATE_API_KEY.',
      })
      return stored.id
    },
    onSuccess: () => {
      client.invalidateQueries({ queryKey: ['keys'] }).catch(() => {})
      client.invalidateQueries({ queryKey: ['budgets'] }).catch(() => {})
    },
  })
  const change = (next: Partial<KeyDraft>): void => {
    setDraft((before) => ({ ...before, ...next }))
    // Something else is asked for.
    setOnce(crypto.randomUUID?.())
  }
  const submit = (): void => {
    const read = keyBodyOf(draft, Date.now())
    setErrors('errors' in read ? read.errors : {})
    if ('body' in read) make.mutate(read.body, { onSuccess: onMade })
  }
  return (
    <Peek of="make" title="A new key" onClose={onClose}>
      <Form error={make.error} fields={['name', 'environment', 'project']} onSubmit={submit}>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Name"
            autoFocus
            autoComplete="off"
            placeholder="ci"
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
            error={fieldError(make.error, 'name')}
          />
          <SelectField
            label="Environment"
            value={draft.environment}
            onChange={({ target }) => change({ environment: target.value })}
            choices={
              ENVIRONMENTS.some(({ value }) => value === draft.environment)
                ? ENVIRONMENTS
                : [...ENVIRONMENTS, { value: draft.environment, title: draft.environment }]
            }
            error={fieldError(make.error, 'environment')}
          />
        </div>
        {projects.length > 1 && (
          <SelectField
            label="Project"
            value={draft.project}
            onChange={({ target }) => change({ project: target.value })}
            choices={[
              { value: '', title: 'the usual one' },
              ...projects.map(({ id, name }) => ({ value: id, title: name })),
            ]}
            hint="Project and environment of a key never change: sums of usage go by them."
            error={fieldError(make.error, 'project')}
          />
        )}
        {mayGive.scopes && (
          <CheckField
            label="Service key"
            checked={draft.service}
            onChange={({ target }) => change({ service: target.checked })}
            hint="It belongs to the project: it works whoever leaves, and cannot have the scope admin. Any other key has your rights at most."
          />
        )}
        <MoreOfKey draft={draft} onChange={change} errors={errors} problem={make.error} />
        <div className="flex gap-2">
          <Button type="submit" look="primary" isBusy={make.isPending}>
            Make the key
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Peek>
  )
}

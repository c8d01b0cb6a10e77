import { KEY_RIGHT_NAMES } from '@headgate/gateway/ports/key-rights'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { ENVIRONMENTS } from '../../api/keys.ts'
import { projectsQuery } from '../../api/queries.ts'
import { PERIOD_CHOICES } from '../../budgets/periods.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Fold } from '../../components/fold.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Peek } from '../../components/peek.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LIMIT_NAMES } from '../../limits/limit-draft.ts'
import { LimitFields } from '../../limits/limit-fields.tsx'
import { loadSecretDialog, showMadeSecret } from '../../secrets/shown-secret.ts'
import { useView } from '../../view/use-view.ts'
import { type DraftErrors, type KeyBody, type KeyDraft, keyBodyOf, NEW_KEY } from './draft.ts'
import { RightFields, useMayGive } from './right-fields.tsx'

export interface MakeKeyProps {
  onClose(): void
  onMade(id: string): void
}

/** Form of a new key: its name and environment, and folded all that bounds it. */
export function MakeKey({ onClose, onMade }: MakeKeyProps) {
  const { project = '', environment = 'development' } = useView()
  const [draft, setDraft] = useState<KeyDraft>({ ...NEW_KEY, project, environment })
  const [errors, setErrors] = useState<DraftErrors>({})
  const [once, setOnce] = useState(() => crypto.randomUUID?.())
  const make = useMake(once)
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
  const fields = { draft, onChange: change, errors, problem: make.error }
  return (
    <Peek of="make" title="A new key" onClose={onClose}>
      <Form error={make.error} fields={['name', 'environment', 'project']} onSubmit={submit}>
        <IdentityFields {...fields} />
        <SpendingFields {...fields} />
        <BoundFields {...fields} />
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

/** Request that makes a key, which shows its secret. @param once idempotency key */
function useMake(once: string | undefined) {
  const client = useQueryClient()
  return useMutation({
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
}

interface FieldsProps {
  readonly draft: KeyDraft
  onChange(change: Partial<KeyDraft>): void
  readonly errors: DraftErrors
  /** What the API said of it. */
  readonly problem: unknown
}

/** What a key is called, and what it belongs to. */
function IdentityFields({ draft, onChange, problem }: FieldsProps) {
  const projects = useProjects()
  const mayGive = useMayGive()
  const isUsual = ENVIRONMENTS.some(({ value }) => value === draft.environment)
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Name"
          autoFocus
          autoComplete="off"
          placeholder="ci"
          value={draft.name}
          onText={(name) => onChange({ name })}
          error={fieldError(problem, 'name')}
        />
        <SelectField
          label="Environment"
          value={draft.environment}
          onPick={(environment) => onChange({ environment })}
          choices={isUsual ? ENVIRONMENTS : [...ENVIRONMENTS, { value: draft.environment, title: draft.environment }]}
          error={fieldError(problem, 'environment')}
        />
      </div>
      {projects.length > 1 && (
        <SelectField
          label="Project"
          value={draft.project}
          onPick={(project) => onChange({ project })}
          choices={[
            { value: '', title: 'the usual one' },
            ...projects.map(({ id, name }) => ({ value: id, title: name })),
          ]}
          hint="Project and environment of a key never change: sums of usage go by them."
          error={fieldError(problem, 'project')}
        />
      )}
      {mayGive.scopes && (
        <CheckField
          label="Service key"
          checked={draft.service}
          onCheck={(service) => onChange({ service })}
          hint="It belongs to the project: it works whoever leaves, and cannot have the scope admin. Any other key has your rights at most."
        />
      )}
    </>
  )
}

/** Projects that a key can be of. */
function useProjects() {
  const { data } = useQuery(projectsQuery)
  return (data?.items ?? []).filter(({ archivedAt }) => archivedAt === undefined)
}

/** Budget and end of a key, folded. */
function SpendingFields({ draft, onChange, errors, problem }: FieldsProps) {
  const { bounds } = useMayGive()
  const budgetError = errors.budget ?? fieldError(problem, 'budgets[0].limit')
  const endError = errors.endsIn ?? fieldError(problem, 'expiresAt')
  return (
    <Fold
      title={bounds ? 'What it may spend, and until when' : 'Until when it works'}
      isWrong={Boolean(budgetError ?? endError)}
    >
      {bounds && (
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Budget in dollars"
            inputMode="decimal"
            autoComplete="off"
            placeholder="none"
            value={draft.budget}
            onText={(budget) => onChange({ budget })}
            error={budgetError}
          />
          <SelectField
            label="For"
            value={draft.period}
            onPick={(period) => onChange({ period })}
            choices={PERIOD_CHOICES}
          />
        </div>
      )}
      <TextField
        label="Ends in days"
        inputMode="numeric"
        autoComplete="off"
        placeholder="never"
        value={draft.endsIn}
        onText={(endsIn) => onChange({ endsIn })}
        error={endError}
      />
    </Fold>
  )
}

/** Limits and rights of a key, folded: without them a key may do everything that keys may. */
function BoundFields({ draft, onChange, errors, problem }: FieldsProps) {
  const { bounds } = useMayGive()
  const isWrong = (names: readonly (keyof DraftErrors)[], prefix = ''): boolean =>
    names.some((name) => errors[name] ?? fieldError(problem, name) ?? fieldError(problem, `${prefix}${name}`))
  return (
    <>
      {bounds && (
        <Fold title="How much it may ask" isWrong={isWrong(LIMIT_NAMES, 'limits.')}>
          <LimitFields {...{ draft, onChange, errors, problem }} />
        </Fold>
      )}
      <Fold title="What it may do, and from where" isWrong={isWrong(KEY_RIGHT_NAMES)}>
        <RightFields {...{ draft, onChange, errors, problem }} />
      </Fold>
    </>
  )
}

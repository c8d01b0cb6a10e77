import { KEY_RIGHT_NAMES, KEY_SETTING_NAMES } from '@headgate/gateway/ports/key-rights'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { ENVIRONMENTS } from '../../api/keys.ts'
import { projectsQuery } from '../../api/queries.ts'
import { PERIOD_CHOICES } from '../../budgets/periods.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Fold } from '../../components/form-fold.tsx'
import { Peek } from '../../components/peek.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LABELS } from '../../labels.ts'
import { LIMIT_NAMES } from '../../limits/limit-draft.ts'
import { LimitFields } from '../../limits/limit-fields.tsx'
import { loadSecretDialog, showCreatedSecret } from '../../secrets/shown-secret.ts'
import { useView } from '../../view/use-view.ts'
import { type DraftErrors, type KeyBody, type KeyDraft, keyBodyOf, NEW_KEY } from './draft.ts'
import { RightFields, SettingFields, useMayGive } from './right-fields.tsx'

export interface CreateKeyProps {
  onClose(): void
  onCreated(id: string): void
}

/** Form for a new key. Budget, limits and permissions are collapsed. */
export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const { project = '', environment = 'development' } = useView()
  const [draft, setDraft] = useState<KeyDraft>({ ...NEW_KEY, project, environment })
  const [errors, setErrors] = useState<DraftErrors>({})
  const [once, setOnce] = useState(() => crypto.randomUUID?.())
  const create = useCreate(once)
  const change = (next: Partial<KeyDraft>): void => {
    setDraft((before) => ({ ...before, ...next }))
    // A changed form is another request.
    setOnce(crypto.randomUUID?.())
  }
  const submit = (): void => {
    const read = keyBodyOf(draft, Date.now())
    setErrors('errors' in read ? read.errors : {})
    if ('body' in read) create.mutate(read.body, { onSuccess: onCreated })
  }
  const fields = { draft, onChange: change, errors, problem: create.error }
  return (
    <Peek of="make" title="New key" onClose={onClose}>
      <Form error={create.error} fields={['name', 'environment', 'project']} onSubmit={submit}>
        <IdentityFields {...fields} />
        <SpendingFields {...fields} />
        <RestrictionFields {...fields} />
        <div className="flex gap-2">
          <Button type="submit" look="primary" isBusy={create.isPending}>
            {LABELS.createKey}
          </Button>
          <Button onClick={onClose}>{LABELS.cancel}</Button>
        </div>
      </Form>
    </Peek>
  )
}

/** Request that creates a key and shows its secret. @param once idempotency key */
function useCreate(once: string | undefined) {
  const client = useQueryClient()
  return useMutation({
    // The query client keeps results of mutations, so the secret is not returned.
    mutationFn: async (body: KeyBody) => {
      await loadSecretDialog()
      const { key, stored } = await confirmed(() => callApi('POST /keys', { body, once }))
      showCreatedSecret({
        title: stored.name === undefined ? 'New key' : `New key ${stored.name}`,
        label: LABELS.key,
        secret: key,
        advice: 'Store it where your application reads it, for example as HEADGATE_API_KEY.',
      })
      return stored.id
    },
    onSuccess: () => {
      client.invalidateQueries({ queryKey: ['keys'] }).catch(() => {})
      client.invalidateQueries({ queryKey: ['budgets'] }).catch(() => {})
    },
  })
}

interface KeyFieldsProps {
  readonly draft: KeyDraft
  onChange(change: Partial<KeyDraft>): void
  readonly errors: DraftErrors
  /** Error of the request. */
  readonly problem: unknown
}

/** Name, environment and project of a key. */
function IdentityFields({ draft, onChange, problem }: KeyFieldsProps) {
  const projects = useProjects()
  const mayGive = useMayGive()
  const isUsual = ENVIRONMENTS.some(({ value }) => value === draft.environment)
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label={LABELS.name}
          autoFocus
          autoComplete="off"
          placeholder="ci"
          value={draft.name}
          onText={(name) => onChange({ name })}
          error={fieldError(problem, 'name')}
        />
        <SelectField
          label={LABELS.environment}
          value={draft.environment}
          onPick={(environment) => onChange({ environment })}
          choices={isUsual ? ENVIRONMENTS : [...ENVIRONMENTS, { value: draft.environment, title: draft.environment }]}
          error={fieldError(problem, 'environment')}
        />
      </div>
      {projects.length > 1 && (
        <SelectField
          label={LABELS.project}
          value={draft.project}
          onPick={(project) => onChange({ project })}
          choices={[
            { value: '', title: LABELS.defaultProject },
            ...projects.map(({ id, name }) => ({ value: id, title: name })),
          ]}
          hint="Project and environment of a key cannot change later."
          error={fieldError(problem, 'project')}
        />
      )}
      {mayGive.scopes && (
        <CheckField
          label="Service key"
          checked={draft.service}
          onCheck={(service) => onChange({ service })}
          hint="Belongs to the project and keeps working when you leave. It cannot have the scope admin. Other keys are limited to your permissions."
        />
      )}
    </>
  )
}

/** Projects that are not archived. */
function useProjects() {
  const { data } = useQuery(projectsQuery)
  return (data?.items ?? []).filter(({ archivedAt }) => archivedAt === undefined)
}

/** Budget and expiry of a key, collapsed. */
function SpendingFields({ draft, onChange, errors, problem }: KeyFieldsProps) {
  const { bounds } = useMayGive()
  const budgetError = errors.budget ?? fieldError(problem, 'budgets[0].limit')
  const endError = errors.endsIn ?? fieldError(problem, 'expiresAt')
  return (
    <Fold title={bounds ? 'Budget and expiry' : 'Expiry'} isWrong={Boolean(budgetError ?? endError)}>
      {bounds && (
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Budget in dollars"
            inputMode="decimal"
            autoComplete="off"
            placeholder={LABELS.none}
            value={draft.budget}
            onText={(budget) => onChange({ budget })}
            error={budgetError}
          />
          <SelectField
            label={LABELS.period}
            value={draft.period}
            onPick={(period) => onChange({ period })}
            choices={PERIOD_CHOICES}
          />
        </div>
      )}
      <TextField
        label="Expires in days"
        inputMode="numeric"
        autoComplete="off"
        placeholder={LABELS.never}
        value={draft.endsIn}
        onText={(endsIn) => onChange({ endsIn })}
        error={endError}
      />
    </Fold>
  )
}

/** Rate limits and permissions of a key, collapsed. */
function RestrictionFields({ draft, onChange, errors, problem }: KeyFieldsProps) {
  const { bounds } = useMayGive()
  const isWrong = (names: readonly (keyof DraftErrors)[], prefix = ''): boolean =>
    names.some((name) => errors[name] ?? fieldError(problem, name) ?? fieldError(problem, `${prefix}${name}`))
  return (
    <>
      {bounds && (
        <Fold title={LABELS.rateLimits} isWrong={isWrong(LIMIT_NAMES, 'limits.') || isWrong(KEY_SETTING_NAMES)}>
          <LimitFields {...{ draft, onChange, errors, problem }} />
          <SettingFields {...{ draft, onChange, errors, problem }} />
        </Fold>
      )}
      <Fold title={LABELS.permissions} isWrong={isWrong(KEY_RIGHT_NAMES)}>
        <RightFields {...{ draft, onChange, errors, problem }} />
      </Fold>
    </>
  )
}

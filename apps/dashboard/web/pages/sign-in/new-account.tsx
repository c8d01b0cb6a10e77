import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { LABELS } from '../../labels.ts'
import { accountErrors, type NewAccount } from './account-errors.ts'

export type { NewAccount } from './account-errors.ts'

export interface NewAccountFormProps {
  readonly action: string
  readonly error: unknown
  readonly isBusy: boolean
  /** Email address of the link, which cannot be changed. */
  readonly email?: string | undefined
  /** False if the form has no email field. */
  readonly hasEmail?: boolean
  onSubmit(account: NewAccount): void
}

/** Form with name, email and password of a new user. */
export function NewAccountForm({
  action,
  error,
  isBusy,
  email: known,
  hasEmail = true,
  onSubmit,
}: NewAccountFormProps) {
  const [email, setEmail] = useState(known ?? '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const account = { email, name, password }
  const wrong = accountErrors(account, hasEmail)
  const own = isTried ? wrong : {}
  const submit = (): void => {
    setTried(true)
    if (Object.keys(wrong).length === 0) onSubmit(account)
  }
  return (
    <Form error={error} fields={['email', 'name', 'password']} onSubmit={submit}>
      {hasEmail && (
        <EmailField value={email} onText={setEmail} readOnly={known !== undefined} error={error} wrong={own.email} />
      )}
      <TextField
        label={LABELS.name}
        autoComplete="name"
        required
        value={name}
        onText={setName}
        error={own.name ?? fieldError(error, 'name')}
      />
      <NewPasswordField
        value={password}
        onText={setPassword}
        hint="At least 12 characters. Use several unrelated words."
        error={error}
        wrong={own.password}
      />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {action}
      </Button>
    </Form>
  )
}

interface EntranceFieldProps {
  readonly value: string
  onText(text: string): void
  readonly autoComplete?: string
  readonly name?: string
  readonly readOnly?: boolean
  readonly hint?: string
  /** Error of the request of the form. */
  readonly error: unknown
  /** Error of the value, known before the request. */
  readonly wrong?: string | undefined
}

export function EmailField({ error, wrong, ...rest }: EntranceFieldProps) {
  return (
    <TextField
      label={LABELS.email}
      type="email"
      autoComplete="username"
      required
      {...rest}
      error={wrong ?? fieldError(error, 'email')}
    />
  )
}

export function NewPasswordField({ error, wrong, ...rest }: EntranceFieldProps) {
  return (
    <TextField
      label={LABELS.password}
      type="password"
      autoComplete="new-password"
      required
      minLength={12}
      {...rest}
      error={wrong ?? fieldError(error, 'password')}
    />
  )
}

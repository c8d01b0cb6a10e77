import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { LABELS } from '../../labels.ts'

export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly password: string
}

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
  return (
    <Form error={error} fields={['email', 'name', 'password']} onSubmit={() => onSubmit({ email, name, password })}>
      {hasEmail && <EmailField value={email} onText={setEmail} readOnly={known !== undefined} error={error} />}
      <TextField
        label={LABELS.name}
        autoComplete="name"
        required
        value={name}
        onText={setName}
        error={fieldError(error, 'name')}
      />
      <NewPasswordField
        value={password}
        onText={setPassword}
        hint="At least 12 characters. Use several unrelated words."
        error={error}
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
}

export function EmailField({ error, ...rest }: EntranceFieldProps) {
  return (
    <TextField
      label={LABELS.email}
      type="email"
      autoComplete="username"
      required
      {...rest}
      error={fieldError(error, 'email')}
    />
  )
}

export function NewPasswordField({ error, ...rest }: EntranceFieldProps) {
  return (
    <TextField
      label={LABELS.password}
      type="password"
      autoComplete="new-password"
      required
      minLength={12}
      {...rest}
      error={fieldError(error, 'password')}
    />
  )
}

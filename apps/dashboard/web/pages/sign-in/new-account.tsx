import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'

export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly password: string
}

export interface NewAccountFormProps {
  readonly action: string
  readonly error: unknown
  readonly isBusy: boolean
  /** Where the link says whose it is. */
  readonly email?: string | undefined
  /** Whether a mail address is asked for at all. */
  readonly hasEmail?: boolean
  onSubmit(account: NewAccount): void
}

/** Name, mail address and password of somebody new. */
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
      {hasEmail && (
        <TextField
          label="Mail address"
          type="email"
          autoComplete="username"
          required
          readOnly={known !== undefined}
          value={email}
          onText={setEmail}
          error={fieldError(error, 'email')}
        />
      )}
      <TextField
        label="Name"
        autoComplete="name"
        required
        value={name}
        onText={setName}
        error={fieldError(error, 'name')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        value={password}
        onText={setPassword}
        hint="At least 12 characters. A few words that do not belong together are good."
        error={fieldError(error, 'password')}
      />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {action}
      </Button>
    </Form>
  )
}

import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { LABELS } from '../../labels.ts'
import { Entrance, useEnter, useToken } from './entrance.tsx'
import { EmailField, type NewAccount, NewAccountForm } from './new-account.tsx'

/** Sign-up page. A link sent by email proves that the address belongs to the user. */
export function SignUpPage() {
  const token = useToken()
  return (
    <Entrance title={LABELS.createAccount} lead={token === undefined && 'We send you a link to confirm your address.'}>
      {token === undefined ? <Request /> : <Finish token={token} />}
      <p className="mt-4 text-small">
        <Link to="/sign-in">I have an account</Link>
      </p>
    </Entrance>
  )
}

function Request() {
  const [email, setEmail] = useState('')
  const signUp = useMutation({ mutationFn: () => callApi('POST /sign-up', { body: { email } }) })
  if (signUp.data) return <Note look="good">{signUp.data.detail}</Note>
  return (
    <Form error={signUp.error} fields={['email']} onSubmit={() => signUp.mutate()}>
      <EmailField value={email} onText={setEmail} error={signUp.error} />
      <Button type="submit" look="primary" isBusy={signUp.isPending}>
        Send link
      </Button>
    </Form>
  )
}

function Finish({ token }: { readonly token: string }) {
  const enter = useEnter()
  const finish = useMutation({
    mutationFn: ({ name, password }: NewAccount) =>
      callApi('POST /sign-up/finish', { body: { token, name, password } }),
    onSuccess: () => enter('/start'),
  })
  return (
    <NewAccountForm
      action={LABELS.createAccount}
      hasEmail={false}
      error={finish.error}
      isBusy={finish.isPending}
      onSubmit={finish.mutate}
    />
  )
}

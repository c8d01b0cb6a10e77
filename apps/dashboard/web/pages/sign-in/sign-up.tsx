import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { Entrance, useEnter, useToken } from './entrance.tsx'
import { EmailField, type NewAccount, NewAccountForm } from './new-account.tsx'

/** An account of one's own, where sign-up is open: first the address is shown to be one's own, by a link. */
export function SignUpPage() {
  const token = useToken()
  return (
    <Entrance title="Create an account" lead={token === undefined && 'A mail shows that the address is yours.'}>
      {token === undefined ? <Request /> : <Finish token={token} />}
      <p className="mt-4 text-small">
        <Link to="/sign-in">I have an account</Link>
      </p>
    </Entrance>
  )
}

function Request() {
  const [email, setEmail] = useState('')
  const signUp = useMutation({ mutationFn: () => ask('POST /sign-up', { body: { email } }) })
  if (signUp.data) return <Note look="good">{signUp.data.detail}</Note>
  return (
    <Form error={signUp.error} fields={['email']} onSubmit={() => signUp.mutate()}>
      <EmailField value={email} onText={setEmail} error={signUp.error} />
      <Button type="submit" look="primary" isBusy={signUp.isPending}>
        Send a link
      </Button>
    </Form>
  )
}

function Finish({ token }: { readonly token: string }) {
  const enter = useEnter()
  const finish = useMutation({
    mutationFn: ({ name, password }: NewAccount) => ask('POST /sign-up/finish', { body: { token, name, password } }),
    onSuccess: () => enter('/start'),
  })
  return (
    <NewAccountForm
      action="Make the account"
      hasEmail={false}
      error={finish.error}
      isBusy={finish.isPending}
      onSubmit={finish.mutate}
    />
  )
}

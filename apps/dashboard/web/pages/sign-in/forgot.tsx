import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { signInMethodsQuery } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Code } from '../../components/code.tsx'
import { Form } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { Entrance } from './entrance.tsx'
import { EmailField } from './new-account.tsx'

/** Page that sends a link for a new password, or names the command that creates one. */
export function ForgotPage() {
  const ways = useQuery(signInMethodsQuery).data
  const [email, setEmail] = useState('')
  const forgot = useMutation({ mutationFn: () => callApi('POST /forgot', { body: { email } }) })
  return (
    <Entrance title="Forgot password?">
      {ways && !ways.canMail ? (
        <div className="flex flex-col gap-3">
          <p className="text-muted">
            This gateway cannot send email. Ask an admin for a link, or run on the gateway's machine:
          </p>
          <Code text="headgate users reset you@example.com" label="Command" />
        </div>
      ) : forgot.data ? (
        <Note look="good">{forgot.data.detail}</Note>
      ) : (
        <Form error={forgot.error} fields={['email']} onSubmit={() => forgot.mutate()}>
          <EmailField value={email} onText={setEmail} error={forgot.error} />
          <Button type="submit" look="primary" isBusy={forgot.isPending}>
            Send link
          </Button>
        </Form>
      )}
      <p className="mt-4 text-small">
        <Link to="/sign-in">Back to sign-in</Link>
      </p>
    </Entrance>
  )
}

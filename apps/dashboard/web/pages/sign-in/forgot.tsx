import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { waysInQuery } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Code } from '../../components/code.tsx'
import { Form } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { Entrance } from './entrance.tsx'
import { EmailField } from './new-account.tsx'

/** A link to a new password: by mail, or by whoever runs the gateway. */
export function ForgotPage() {
  const ways = useQuery(waysInQuery).data
  const [email, setEmail] = useState('')
  const forgot = useMutation({ mutationFn: () => ask('POST /forgot', { body: { email } }) })
  return (
    <Entrance title="New password">
      {ways && !ways.canMail ? (
        <div className="flex flex-col gap-3">
          <p className="text-muted">
            This gateway sends no mail. An admin can make you a link, on the page of members or where it runs:
          </p>
          <Code text="headgate users reset you@example.com" label="Command" />
        </div>
      ) : forgot.data ? (
        <Note look="good">{forgot.data.detail}</Note>
      ) : (
        <Form error={forgot.error} fields={['email']} onSubmit={() => forgot.mutate()}>
          <EmailField value={email} onText={setEmail} error={forgot.error} />
          <Button type="submit" look="primary" isBusy={forgot.isPending}>
            Send a link
          </Button>
        </Form>
      )}
      <p className="mt-4 text-small">
        <Link to="/sign-in">Back to sign-in</Link>
      </p>
    </Entrance>
  )
}

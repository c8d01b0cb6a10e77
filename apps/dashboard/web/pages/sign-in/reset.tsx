import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { BrokenLink, Entrance, useEnter, useToken } from './entrance.tsx'
import { NewPasswordField } from './new-account.tsx'

/** Page that sets a new password, opened with a link. */
export function ResetPage() {
  const token = useToken()
  const enter = useEnter()
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => callApi('POST /reset', { body: { token: token ?? '', password } }),
    onSuccess: () => enter('/'),
  })
  if (token === undefined)
    return (
      <BrokenLink command="headgate users reset you@example.com">
        Copy the whole link, or ask an admin for a new one.
      </BrokenLink>
    )
  return (
    <Entrance title="New password" lead="This ends all of your sessions.">
      <Form error={reset.error} fields={['password']} onSubmit={() => reset.mutate()}>
        <NewPasswordField value={password} onText={setPassword} hint="At least 12 characters." error={reset.error} />
        <Button type="submit" look="primary" isBusy={reset.isPending}>
          Set password and sign in
        </Button>
      </Form>
    </Entrance>
  )
}

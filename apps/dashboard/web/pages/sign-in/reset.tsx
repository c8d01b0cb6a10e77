import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { BrokenLink, Entrance, useEnter, useToken } from './entrance.tsx'
import { NewPasswordField } from './new-account.tsx'

/** Another password, by a link. */
export function ResetPage() {
  const token = useToken()
  const enter = useEnter()
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => ask('POST /reset', { body: { token: token ?? '', password } }),
    onSuccess: () => enter('/'),
  })
  if (token === undefined)
    return (
      <BrokenLink command="headgate users reset you@example.com">
        Copy all of it, or ask an admin for another one.
      </BrokenLink>
    )
  return (
    <Entrance title="New password" lead="Wherever you are signed in, you are signed out.">
      <Form error={reset.error} fields={['password']} onSubmit={() => reset.mutate()}>
        <NewPasswordField value={password} onText={setPassword} hint="At least 12 characters." error={reset.error} />
        <Button type="submit" look="primary" isBusy={reset.isPending}>
          Set it and sign in
        </Button>
      </Form>
    </Entrance>
  )
}

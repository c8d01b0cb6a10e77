import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { signInMethodsQuery } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { Note } from '../../components/states.tsx'
import { LABELS } from '../../labels.ts'
import { hasPasskeys, isDeclined, signWithPasskey } from '../../passkeys/passkey.ts'
import { returnOf } from '../../view/return.ts'
import { Entrance, useEnter } from './entrance.tsx'
import { EmailField } from './new-account.tsx'

/** Sign-in page with password, passkeys and identity providers. */
export function SignInPage() {
  const { return: searched } = useSearch({ from: '/sign-in' })
  // An address with a token is in the fragment, which is never logged.
  const to = useLocation({ select: ({ hash }) => returnOf(hash) }) ?? searched
  const enter = useEnter()
  const ways = useQuery(signInMethodsQuery).data
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const byPassword = useMutation({
    mutationFn: () => callApi('POST /sign-in', { body: { email, password } }),
    onSuccess: () => enter(to),
  })
  const byPasskey = useMutation({
    mutationFn: async () => callApi('POST /passkeys/sign-in', { body: { response: await signWithPasskey() } }),
    onSuccess: () => enter(to),
  })
  const byProvider = useMutation({
    mutationFn: (provider: string) => callApi('POST /oidc/begin', { body: { provider, returnTo: to } }),
    onSuccess: ({ url }) => location.assign(url),
  })
  const others = [byPasskey.error, byProvider.error].find((error) => error && !isDeclined(error))
  // In development, the Vite server is in front of the gateway.
  const isUnknownOrigin = ways && !import.meta.env.DEV && !ways.origins.includes(location.origin)
  return (
    <Entrance title={LABELS.signIn} lead={to !== undefined && 'Sign in to continue.'}>
      <div className="flex flex-col gap-4">
        {isUnknownOrigin && (
          <Note>
            This gateway does not accept the address <code>{location.origin}</code>. Open it as{' '}
            {ways.origins.join(' or ')}, or set HEADGATE_PUBLIC_URL.
          </Note>
        )}
        {ways && !ways.hasAccounts && (
          <Note look="plain">
            No account yet. Open the link that the gateway printed, or run <code>headgate users first-link</code>.
          </Note>
        )}
        <Form error={byPassword.error ?? others} onSubmit={() => byPassword.mutate()} fields={['email', 'password']}>
          <EmailField
            name="email"
            autoComplete="username webauthn"
            value={email}
            onText={setEmail}
            error={byPassword.error}
          />
          <TextField
            label={LABELS.password}
            type="password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onText={setPassword}
            error={fieldError(byPassword.error, 'password')}
          />
          <Button type="submit" look="primary" isBusy={byPassword.isPending}>
            {LABELS.signIn}
          </Button>
        </Form>
        {(hasPasskeys() || (ways && ways.providers.length > 0)) && (
          <div className="flex flex-col gap-2 border-t border-line pt-4">
            {hasPasskeys() && (
              <Button onClick={() => byPasskey.mutate()} isBusy={byPasskey.isPending}>
                <KeyRound aria-hidden size={14} /> Use a passkey
              </Button>
            )}
            {ways?.providers.map(({ id, name }) => (
              <Button key={id} onClick={() => byProvider.mutate(id)} isBusy={byProvider.isPending}>
                Continue with {name}
              </Button>
            ))}
          </div>
        )}
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-small text-muted">
          <Link to="/forgot">Forgot password?</Link>
          {ways?.canMail && <Link to="/sign-up">{LABELS.createAccount}</Link>}
        </p>
      </div>
    </Entrance>
  )
}

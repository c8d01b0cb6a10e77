import { Link } from '@tanstack/react-router'
import { useMay } from '../../../api/me.ts'
import { Providers } from './providers.tsx'
import { SignUp } from './sign-up.tsx'

/** Sign-in and sign-up policy of the organization. */
export function SignInTab() {
  const maySee = useMay('organization.write') !== undefined
  return (
    <>
      <p className="mb-3 text-muted">
        Your own password, passkeys and sessions are on the <Link to="/account">account page</Link>.
      </p>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <SignUp mayChange={maySee} />
        <Providers maySee={maySee} />
      </div>
    </>
  )
}

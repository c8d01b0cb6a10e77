import { useMay } from '../../../api/me.ts'
import { OwnPassword } from './own-password.tsx'
import { OwnProviders } from './own-providers.tsx'
import { Passkeys } from './passkeys.tsx'
import { Providers } from './providers.tsx'
import { SignUp } from './sign-up.tsx'

/** Sign-in methods of the user, and the sign-up policy of the organization. */
export function SignInTab() {
  const maySee = useMay('organization.write') !== undefined
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-6">
        <Passkeys />
        <OwnPassword />
        <OwnProviders />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <SignUp mayChange={maySee} />
        <Providers maySee={maySee} />
      </div>
    </div>
  )
}

import { Page } from '../../components/page.tsx'
import { OwnPassword } from './own-password.tsx'
import { OwnProviders } from './own-providers.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'

/** Personal settings of the user: profile, password, passkeys and sessions. */
export function AccountPage() {
  return (
    <Page title="Account" lead="Your own settings, in all organizations.">
      <div className="flex flex-col gap-6">
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <OwnPassword />
          <div className="flex min-w-0 flex-col gap-6">
            <Passkeys />
            <OwnProviders />
          </div>
        </div>
        <Sessions />
      </div>
    </Page>
  )
}

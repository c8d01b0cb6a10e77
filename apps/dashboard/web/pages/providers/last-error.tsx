import { Link } from '@tanstack/react-router'
import { Time } from '../../components/values.tsx'
import { LABELS } from '../../labels.ts'
import { type ProviderStatus, troubleText } from './providers.ts'

/** Last error of a provider, with a link to its request if the user can see it. */
export function LastError({ of }: { readonly of: NonNullable<ProviderStatus['lastError']> }) {
  return (
    <p className="text-small wrap-anywhere text-bad">
      <Time at={of.at} />: {troubleText(of)}
      {of.request !== undefined && (
        <>
          {' '}
          <Link to="/requests" search={{ row: of.request }} className="relative underline">
            {LABELS.openRequest}
          </Link>
        </>
      )}
    </p>
  )
}

import { useMutation, useQuery } from '@tanstack/react-query'
import { callApi, type ResponseOf } from '../../../api/call.ts'
import { signInMethodsQuery } from '../../../api/queries.ts'
import { gatewayUrl } from '../../../app/base.ts'
import { Button } from '../../../components/button.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { Section } from '../../../components/page.tsx'
import { Failed, Forbidden, Note, Skeleton } from '../../../components/states.tsx'
import { duration } from '../../../formats/durations.ts'
import { LABELS } from '../../../labels.ts'

type IdentityProvider = ResponseOf<'GET /oidc'>['items'][number]

/** Identity providers (OIDC) of the configuration. */
export function Providers({ maySee }: { readonly maySee: boolean }) {
  return <Section title="Identity providers (OIDC)">{maySee ? <Configured /> : <Names />}</Section>
}

/** Names of the identity providers, which the sign-in page also shows. */
function Names() {
  const { data } = useQuery(signInMethodsQuery)
  const names = data?.providers.map(({ name }) => name) ?? []
  return (
    <div className="flex flex-col gap-3">
      {data && <p>{names.length === 0 ? 'None. Members sign in with a password or a passkey.' : names.join(', ')}</p>}
      <Forbidden>Only owners can see and test their configuration.</Forbidden>
    </div>
  )
}

function Configured() {
  const { data, error, refetch } = useQuery({
    queryKey: ['oidc'],
    queryFn: ({ signal }) => callApi('GET /oidc', { signal }),
  })
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} />
  if (data.items.length === 0)
    return (
      <p className="text-muted">
        None. Add one under <code>accounts.oidc</code> in the configuration, with this redirect URL: <ReturnAddress />
      </p>
    )
  return (
    <div className="flex flex-col gap-4">
      {data.items.map((provider) => (
        <ProviderPart key={provider.id} of={provider} />
      ))}
      <p className="text-small text-muted">
        Changes of the configuration apply after a restart. Redirect URL: <ReturnAddress />
      </p>
    </div>
  )
}

function ReturnAddress() {
  return <CopyId id={`${gatewayUrl()}/sign-in/oidc`} label="redirect URL" />
}

function ProviderPart({
  of: { id, name, issuer, clientId, hasSecret, groupsClaim, roles, defaultRole },
}: {
  readonly of: IdentityProvider
}) {
  const test = useMutation({ mutationFn: () => callApi('POST /oidc/{provider}/test', { params: { provider: id } }) })
  const groups = Object.entries(roles ?? {})
  return (
    <div className="border-b border-line pb-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">{name}</h3>
        <Button onClick={() => test.mutate()} isBusy={test.isPending} aria-label={`Test ${name}`}>
          {test.isPending ? 'Testing…' : LABELS.test}
        </Button>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <dt className="text-muted">Issuer</dt>
        <dd className="wrap-anywhere">{issuer}</dd>
        <dt className="text-muted">Client</dt>
        <dd className="wrap-anywhere">
          {clientId}, {hasSecret ? 'with a secret' : 'public, without a secret'}
        </dd>
        <dt className="text-muted">Roles</dt>
        <dd className="wrap-anywhere">
          {groups.length > 0 && (
            <>
              from <code className="font-mono text-small">{groupsClaim}</code>:{' '}
              {groups.map(([group, role]) => `${group} → ${role}`).join(', ')};{' '}
            </>
          )}
          {othersText(groups.length > 0, defaultRole)}
        </dd>
      </dl>
      <div className="mt-2 empty:hidden">
        {test.error && <Failed error={test.error} />}
        {test.data && (
          <Note look={test.data.isUsable ? 'good' : 'bad'}>
            {test.data.detail} ({duration(test.data.tookMs)})
          </Note>
        )}
      </div>
    </div>
  )
}

/** Role of users who are not in any of the groups. */
function othersText(hasGroups: boolean, role: string | undefined): string {
  if (role === undefined) return hasGroups ? 'others cannot sign in' : 'no one can sign in'
  return hasGroups ? `others: ${role}` : `all: ${role}`
}

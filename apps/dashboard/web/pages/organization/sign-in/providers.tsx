import { useMutation, useQuery } from '@tanstack/react-query'
import { type AnswerOf, ask } from '../../../api/ask.ts'
import { waysInQuery } from '../../../api/queries.ts'
import { gatewayUrl } from '../../../app/base.ts'
import { Button } from '../../../components/button.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { Section } from '../../../components/page.tsx'
import { Failed, Forbidden, Note, Skeleton } from '../../../components/states.tsx'
import { duration } from '../../../formats/durations.ts'

type Provider = AnswerOf<'GET /oidc'>['items'][number]

/** OIDC providers that the configuration names. */
export function Providers({ maySee }: { readonly maySee: boolean }) {
  return <Section title="Providers (OIDC)">{maySee ? <Configured /> : <Names />}</Section>
}

/** What everybody reads on the sign-in page. */
function Names() {
  const { data } = useQuery(waysInQuery)
  const names = data?.providers.map(({ name }) => name) ?? []
  return (
    <div className="flex flex-col gap-3">
      {data && (
        <p>{names.length === 0 ? 'There are none: people sign in by password and passkey.' : names.join(', ')}</p>
      )}
      <Forbidden>Owners see how they are configured, and test them.</Forbidden>
    </div>
  )
}

function Configured() {
  const { data, error, refetch } = useQuery({
    queryKey: ['oidc'],
    queryFn: ({ signal }) => ask('GET /oidc', { signal }),
  })
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} />
  if (data.items.length === 0)
    return (
      <p className="text-muted">
        None. Name one in the configuration under <code>accounts.oidc</code>, and have it send browsers back to this
        address: <ReturnAddress />
      </p>
    )
  return (
    <div className="flex flex-col gap-4">
      {data.items.map((provider) => (
        <ProviderPart key={provider.id} of={provider} />
      ))}
      <p className="text-small text-muted">
        What is configured is read at the start of the gateway. They send browsers back to <ReturnAddress />
      </p>
    </div>
  )
}

function ReturnAddress() {
  return <CopyId id={`${gatewayUrl()}/sign-in/oidc`} label="the address to come back to" />
}

function ProviderPart({
  of: { id, name, issuer, clientId, hasSecret, groupsClaim, roles, defaultRole },
}: {
  readonly of: Provider
}) {
  const test = useMutation({ mutationFn: () => ask('POST /oidc/{provider}/test', { params: { provider: id } }) })
  const groups = Object.entries(roles ?? {})
  return (
    <div className="border-b border-line pb-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">{name}</h3>
        <Button onClick={() => test.mutate()} isBusy={test.isPending} aria-label={`Test ${name}`}>
          {test.isPending ? 'Asking it…' : 'Test'}
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
              by <code className="font-mono text-small">{groupsClaim}</code>:{' '}
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

/** What becomes of who is in none of the groups. */
function othersText(hasGroups: boolean, role: string | undefined): string {
  if (role === undefined) return hasGroups ? 'others get no account' : 'nobody gets an account'
  return hasGroups ? `others become ${role}` : `everybody becomes ${role}`
}

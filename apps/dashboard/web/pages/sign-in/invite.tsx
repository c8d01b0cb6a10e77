import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callApi } from '../../api/call.ts'
import { meQuery } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { fullTime } from '../../formats/times.ts'
import { LABELS } from '../../labels.ts'
import { returnHash } from '../../view/return.ts'
import { BrokenLink, Entrance, useEnter, useToken } from './entrance.tsx'
import { type NewAccount, NewAccountForm } from './new-account.tsx'

/** Page of an invite, for new and existing users. */
export function InvitePage() {
  const token = useToken()
  if (token === undefined) return <BrokenLink>Copy the whole link, or ask the sender for a new one.</BrokenLink>
  return <Invite token={token} />
}

function Invite({ token }: { readonly token: string }) {
  const enter = useEnter()
  const invite = useQuery({
    queryKey: ['invite', token],
    queryFn: ({ signal }) => callApi('POST /invites/read', { body: { token }, signal }),
    retry: false,
  })
  const me = useQuery({ ...meQuery, retry: false })
  const accept = useMutation({
    mutationFn: (account: NewAccount) => callApi('POST /invites/accept', { body: { ...account, token } }),
    onSuccess: () => enter('/start'),
  })
  const join = useMutation({
    mutationFn: () => callApi('POST /invites/join', { body: { token } }),
    onSuccess: () => enter('/'),
  })
  if (invite.error)
    return (
      <Entrance title="This invite is not valid">
        <Failed error={invite.error} />
      </Entrance>
    )
  if (!invite.data || me.isLoading)
    return (
      <Entrance title="Your invite">
        <Skeleton rows={4} />
      </Entrance>
    )
  const { organization, role, email, expiresAt } = invite.data
  return (
    <Entrance title={`Join ${organization}`} lead={`Role: ${role}. The invite expires ${fullTime(expiresAt)}.`}>
      {me.data ? (
        <div className="flex flex-col gap-3">
          {join.error && <Failed error={join.error} />}
          <Button look="primary" onClick={() => join.mutate()} isBusy={join.isPending}>
            Join as {me.data.name}
          </Button>
        </div>
      ) : (
        <>
          <NewAccountForm
            action={LABELS.createAccount}
            email={email}
            error={accept.error}
            isBusy={accept.isPending}
            onSubmit={accept.mutate}
          />
          <p className="mt-4 text-small">
            <Link to="/sign-in" hash={returnHash(`/invite#token=${token}`)}>
              I have an account
            </Link>
          </p>
        </>
      )}
    </Entrance>
  )
}

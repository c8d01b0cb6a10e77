import { useMutation } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { problemOf } from '../../api/problem.ts'
import { Code } from '../../components/code.tsx'
import { BrokenLink, Entrance, useEnter, useToken } from './entrance.tsx'
import { type NewAccount, NewAccountForm } from './new-account.tsx'

const COMMAND = 'headgate users first-link'

/** The first account of a gateway, by the link that its first start has printed. */
export function FirstPage() {
  const token = useToken()
  const enter = useEnter()
  const claim = useMutation({
    mutationFn: (account: NewAccount) => ask('POST /first', { body: { ...account, token: token ?? '' } }),
    onSuccess: () => enter('/start'),
  })
  if (token === undefined)
    return (
      <BrokenLink command={COMMAND}>Copy all of it, or have another one printed where the gateway runs.</BrokenLink>
    )
  const isUsed = claim.error ? problemOf(claim.error).status === 404 : false
  return (
    <Entrance
      title="The first account"
      lead="Whoever makes it owns this gateway: they invite others, set budgets and see all usage."
    >
      <NewAccountForm action="Make the account" error={claim.error} isBusy={claim.isPending} onSubmit={claim.mutate} />
      {isUsed && (
        <div className="mt-4 flex flex-col gap-2 text-muted">
          <p>Another link is printed by</p>
          <Code text={COMMAND} label="Command" />
        </div>
      )}
    </Entrance>
  )
}

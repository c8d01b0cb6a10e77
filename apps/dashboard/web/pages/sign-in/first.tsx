import { useMutation } from '@tanstack/react-query'
import { callApi } from '../../api/call.ts'
import { problemOf } from '../../api/problem.ts'
import { Code } from '../../components/code.tsx'
import { LABELS } from '../../labels.ts'
import { BrokenLink, Entrance, useEnter, useToken } from './entrance.tsx'
import { type NewAccount, NewAccountForm } from './new-account.tsx'

const COMMAND = 'headgate users first-link'

/** Page that creates the owner account, opened with the link of the first start. */
export function FirstPage() {
  const token = useToken()
  const enter = useEnter()
  const claim = useMutation({
    mutationFn: (account: NewAccount) => callApi('POST /first', { body: { ...account, token: token ?? '' } }),
    onSuccess: () => enter('/start'),
  })
  if (token === undefined)
    return <BrokenLink command={COMMAND}>Copy the whole link, or print a new one on the gateway's machine:</BrokenLink>
  const isUsed = claim.error ? problemOf(claim.error).status === 404 : false
  return (
    <Entrance title="Create the owner account" lead="The owner can invite others, set budgets and see all usage.">
      <NewAccountForm
        action={LABELS.createAccount}
        error={claim.error}
        isBusy={claim.isPending}
        onSubmit={claim.mutate}
      />
      {isUsed && (
        <div className="mt-4 flex flex-col gap-2 text-muted">
          <p>To print a new link, run:</p>
          <Code text={COMMAND} label="Command" />
        </div>
      )}
    </Entrance>
  )
}

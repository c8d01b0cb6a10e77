import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { callApi } from '../../api/call.ts'
import { Failed, Skeleton } from '../../components/states.tsx'
import { Entrance, useEnter } from './entrance.tsx'

/** Redirect page of identity providers. It forwards the query to the API once. */
export function OidcReturnPage() {
  const enter = useEnter()
  const { mutate, error } = useMutation({
    mutationFn: () => callApi('POST /oidc/finish', { body: { query: location.search.slice(1) } }),
    onSuccess: ({ returnTo }) => enter(returnTo),
  })
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    mutate()
  }, [mutate])
  return (
    <Entrance title={error ? 'Sign-in failed' : 'Signing in'}>
      {error ? (
        <div className="flex flex-col gap-3">
          <Failed error={error} />
          <Link to="/sign-in">Sign in again</Link>
        </div>
      ) : (
        <Skeleton rows={2} />
      )}
    </Entrance>
  )
}

import { useRouter } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { BASE_PATH } from '../../app/base.ts'
import { returnAddress } from '../../view/return.ts'

/** Goes on once somebody is signed in: to where they were, or where they are told to begin. */
export function useEnter(): (to: string | undefined) => void {
  const router = useRouter()
  return (to) => {
    // What somebody else saw before is nobody's.
    client.clear()
    router.history.push(`${BASE_PATH}${returnAddress(to)}`)
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect } from 'react'
import { meQuery } from '../api/me.ts'
import { announce } from './announcements.tsx'
import { restoreDrafts } from './drafts.ts'

/** Restores the values of a form that were typed before the session ended. */
export function useRestoredDraft(form: RefObject<HTMLFormElement | null>): void {
  const client = useQueryClient()
  useEffect(() => {
    const user = client.getQueryData(meQuery.queryKey)?.id
    if (form.current && restoreDrafts(form.current, user, location.pathname) > 0)
      announce('The text that you typed before you signed in again is back.')
  }, [client, form])
}

import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { announce } from '../../../components/announcements.tsx'
import type { EndpointRequest } from './request.ts'
import { callEndpoint } from './response.ts'

/**
 * Sends requests, one at a time. A request ends with the page.
 * @param announcement sentence for screen readers when a response is complete
 */
export function useEndpoint(project: string | undefined, announcement: string) {
  const open = useRef<AbortController>(undefined)
  const call = useMutation({
    mutationFn: (request: EndpointRequest) => {
      open.current = new AbortController()
      return callEndpoint(request, { project, signal: open.current.signal })
    },
    onSuccess: () => announce(announcement),
  })
  useEffect(() => () => open.current?.abort(), [])
  const { mutate, variables, data: response, isPending: isBusy, reset } = call
  return {
    response,
    isBusy,
    error: call.error,
    send: (request: EndpointRequest): void => mutate(request),
    again: (): void => {
      if (variables) mutate(variables)
    },
    stop: (): void => {
      open.current?.abort()
      reset()
      announce('Stopped.')
    },
  }
}

import { useLocation } from '@tanstack/react-router'
import { tokenOf } from '../../view/return.ts'

/** The token of the link that somebody has opened; undefined where it was cut off. */
export function useToken(): string | undefined {
  return useLocation({ select: ({ hash }) => tokenOf(hash) })
}

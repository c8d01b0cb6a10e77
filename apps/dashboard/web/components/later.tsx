import { type ReactNode, useDeferredValue } from 'react'

export interface LaterProps {
  /** Classes with the size of the content, so that nothing moves when it appears. */
  readonly space?: string | undefined
  /** Placeholder in place of an empty space. */
  readonly instead?: ReactNode
  readonly children: ReactNode
}

/** Content that is not needed at first sight. It is rendered after the rest of the page, in small steps. */
export function Later({ space, instead, children }: LaterProps) {
  return useDeferredValue(true, false) ? children : (instead ?? <div aria-hidden className={space} />)
}
